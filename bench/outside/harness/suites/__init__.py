# SPDX-License-Identifier: MIT
"""Suites by name. A suite module offers specs(options) -> [Spec without solver], load(spec) -> Task, and BUILD and REPORT:
the instances that may be seen while zeroth is being built, and those kept for reports."""
import importlib

NAMES = {"coco": "coco", "coco-noisy": "coco_noisy", "simopt": "simopt_problems", "cases": "cases", "designs": "designs", "tuning": "tuning",
         "mixed": "mixed"}


def module(name):
    return importlib.import_module(f"{__name__}.{NAMES[name]}")


def load(spec):
    return module(spec.suite).load(spec)
