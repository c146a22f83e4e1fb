/*
 * tree_solve.h - rows of tree joints solved by the structure of the tree (maximal form); equations in tree_solve.c.
 *
 * The general method (bilateral.c, stabilise.c) writes every joint as rows and factors J M^-1 J' + C. If all rows are
 * those of tree joints, rotors and springs of tree joints, the same velocities follow from the mass matrix of the joint
 * velocities.
 */
#ifndef RIGOR_TREE_SOLVE_H
#define RIGOR_TREE_SOLVE_H

#include "constraint/constraints.h"

/* Allocates the memory; none if the form does not use it. */
void rg_tree_solve_alloc(RgArena *arena, const RgForm *form, RgTreeSolve *out);

/* Whether the assembled rows can be solved by the tree. */
bool rg_tree_solve_applies(const RgConstraints *c);

/* Factors the joints' mass matrix with the compliance of the assembled rows. Returns false if a pivot is not
   positive. */
bool rg_tree_solve_factor(RgConstraints *c);

/* The same with D (nv) added on the joint velocities; D = 0 removes it again. Returns false if a pivot is not
   positive. */
bool rg_tree_solve_refactor(RgConstraints *c, const double *D);

/* Solves the equations of rg_solve_bilateral. Call after rg_tree_solve_factor. a (nu): in, accelerations without rows;
   out, with rows. */
void rg_tree_solve_accelerations(RgConstraints *c, double share, double *a);

/* g (nu): in, impulses; out, the velocity change they cause. push (nv): additional impulses on joint velocities; NULL:
   none. impulses (rows): impulses of the rows. */
void rg_tree_solve_respond(const RgConstraints *c, const double *push, double *g, double *impulses);

/* step (nu): the smallest mass-weighted step that removes the joints' position errors (u NULL) or their rates at u. */
void rg_tree_solve_correction(RgConstraints *c, const double *u, double *step);

/* Largest position error of the tree's joints. */
double rg_tree_solve_error(const RgConstraints *c);

/* Largest violation |J_i u| of the hard rows (joints and rotors). */
double rg_tree_solve_rate(const RgConstraints *c, const double *u);

#endif
