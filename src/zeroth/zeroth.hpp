// SPDX-License-Identifier: MIT
#pragma once

// Where to begin: describe a Problem, call minimize(), or drive a Search yourself.
#include "zeroth/catalog/catalog.hpp"
#include "zeroth/core/problem.hpp"
#include "zeroth/core/search.hpp"
#include "zeroth/run/minimize.hpp"
