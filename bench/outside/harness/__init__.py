# SPDX-License-Identifier: MIT
"""Solvers on suites that others wrote, with equal budgets; see ../README.md."""
