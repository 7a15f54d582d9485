# The Python module: build/.../python/zeroth, usable from there with PYTHONPATH. Debian's own interpreter unless told
# otherwise (-DPython_EXECUTABLE=...), because its numpy is the one that is packaged.
if(NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module)
if(Python_FOUND)
  set(PYBIND11_FINDPYTHON ON)
  find_package(pybind11 QUIET)
endif()
if(Python_FOUND AND pybind11_FOUND)
  set(python_possible ON)
else()
  set(python_possible OFF)
endif()
option(ZEROTH_PYTHON "Build the Python module" ${python_possible})
if(NOT ZEROTH_PYTHON)
  return()
endif()
if(NOT python_possible)
  message(FATAL_ERROR "ZEROTH_PYTHON needs the packages in scripts/packages-python: "
    "scripts/install-missing scripts/packages-python")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS src/zeroth/python/*.cpp)
pybind11_add_module(zeroth_python MODULE NO_EXTRAS ${python_sources})
target_link_libraries(zeroth_python PRIVATE zeroth_lab fmt::fmt SQLite::SQLite3 zeroth_warnings)
set_target_properties(zeroth_python PROPERTIES OUTPUT_NAME _zeroth CXX_VISIBILITY_PRESET hidden
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/zeroth)

# The package's own files stand beside the module as links, so that an edit needs no build.
file(GLOB python_package CONFIGURE_DEPENDS python/zeroth/*.py python/zeroth/*.pyi python/zeroth/py.typed)
file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/python/zeroth)
foreach(file ${python_package})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${PROJECT_BINARY_DIR}/python/zeroth/${name} SYMBOLIC)
endforeach()
