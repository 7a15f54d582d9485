#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a call of a Python function costs through pybind11, through nanobind, and through nanobind's stable ABI: bench/binding_overhead.py

Needs pybind11 and nanobind (PyPI) beside numpy, a compiler, and Python 3.12 for the stable ABI. What is measured is what the module does
at each evaluation: a fresh array for the point, a call with it and a seed, a number and a list out of the answer.
"""
import importlib.util
import pathlib
import subprocess
import sys
import sysconfig
import tempfile
import timeit

PYBIND11 = """
#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
namespace py = pybind11;
double drive(py::object f, int calls) {
  double sum = 0;
  for (int k = 0; k < calls; ++k) {
    py::array_t<double> x(10);
    for (int i = 0; i < 10; ++i) x.mutable_data()[i] = k + i;
    const py::tuple answer = f(x, k);
    sum += answer[0].cast<double>();
    for (const py::handle g : answer[1].cast<py::list>()) sum += g.cast<double>();
  }
  return sum;
}
PYBIND11_MODULE(NAME, m) { m.def("drive", &drive); }
"""
NANOBIND = """
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
namespace nb = nanobind;
double drive(nb::object f, int calls) {
  double sum = 0;
  for (int k = 0; k < calls; ++k) {
    auto* data = new double[10];
    for (int i = 0; i < 10; ++i) data[i] = k + i;
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<double*>(p); });
    const size_t shape[] = {10};
    nb::object x = nb::cast(nb::ndarray<nb::numpy, double>(data, 1, shape, owner));
    const nb::tuple answer = nb::cast<nb::tuple>(f(x, k));
    sum += nb::cast<double>(answer[0]);
    for (nb::handle g : nb::cast<nb::list>(answer[1])) sum += nb::cast<double>(g);
  }
  return sum;
}
NB_MODULE(NAME, m) { m.def("drive", &drive); }
"""


def built(name, source, options, files=()):
    place = pathlib.Path(tempfile.mkdtemp())
    (place / "module.cpp").write_text(source.replace("NAME", name))
    suffix = ".abi3.so" if "-DPy_LIMITED_API=0x030C0000" in options else sysconfig.get_config_var("EXT_SUFFIX")
    out = place / (name + suffix)
    subprocess.run(["g++", "-std=c++20", "-O2", "-DNDEBUG", "-shared", "-fPIC", "-fvisibility=hidden", f"-I{sysconfig.get_paths()['include']}",
                    *options, str(place / "module.cpp"), *files, "-o", str(out)], check=True)
    spec = importlib.util.spec_from_file_location(name, out)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main():
    import nanobind
    import numpy  # noqa: F401
    import pybind11

    folder = pathlib.Path(nanobind.__file__).parent
    here = [f"-I{folder / 'include'}", f"-I{folder / 'ext/robin_map/include'}"]
    library = [str(folder / "src/nb_combined.cpp")]
    kinds = {"pybind11": lambda: built("by_pybind11", PYBIND11, [f"-I{pybind11.get_include()}"]),
             "nanobind": lambda: built("by_nanobind", NANOBIND, here, library)}
    if sys.version_info >= (3, 12):
        kinds["nanobind, stable ABI"] = lambda: built("by_stable", NANOBIND, [*here, "-DPy_LIMITED_API=0x030C0000"], library)

    def fun(x, seed):
        return 1.0, [2.0]

    calls = 20_000
    for name, make in kinds.items():
        drive = make().drive
        best = min(timeit.repeat(lambda: drive(fun, calls), number=1, repeat=9))
        print(f"{name}: {best / calls * 1e6:.2f} microseconds a call")


if __name__ == "__main__":
    main()
