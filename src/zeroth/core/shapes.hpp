// SPDX-License-Identifier: MIT
#pragma once

#include "zeroth/core/vector.hpp"

namespace zeroth {

// The simple sets that domains are made of.

struct WholeSpace {  // No known set: all of R^n.
  Index size;        // n
};

struct Box {            // lower <= x <= upper; infinite ends are allowed
  Vector lower, upper;  // one entry per variable
};

struct Ball {     // |x - center|_2 <= radius
  Vector center;  // its middle
  double radius;  // not negative
};

struct Simplex {  // x >= 0, sum x = total; W(x, y) = total * sum x log(x/y)
  Index size;     // number of shares
  double total;   // what they sum to
};

struct L1Ball {   // |x - center|_1 <= radius
  Vector center;  // its middle
  double radius;  // not negative
};

struct Halfspace {  // <normal, x> <= offset
  Vector normal;    // points out of the set
  double offset;    // of the plane
};

struct NuclearBall {    // a matrix by columns whose singular values sum to at most radius
  Index rows, columns;  // of the matrix
  double radius;        // not negative
};

struct Polytope {     // the convex hull of the columns
  Matrix vertices;    // one per column
  Matrix directions;  // orthonormal, of the affine space that the hull lies in
  Vector center;      // the mean of the vertices
};

}  // namespace zeroth
