/*
 * tree_solve.h - rows of tree joints solved by the structure of the tree (maximal form); equations in tree_solve.c.
 *
 * The general way (bilateral.c, stabilise.c) writes every joint as rows and factors J M^-1 J' + C. Where nothing but
 * tree joints, rotors and springs of tree joints are rows, the same velocities follow from the mass matrix of the joint
 * velocities.
 */
#ifndef RIGOR_TREE_SOLVE_H
#define RIGOR_TREE_SOLVE_H

#include "constraint/constraints.h"

/* Memory; nothing where the form has no use for it. */
void rg_tree_solve_take(RgArena *arena, const RgForm *form, RgTreeSolve *out);

/* Whether the assembled rows can be solved by the tree. */
bool rg_tree_solve_fits(const RgConstraints *c);

/* Factor of the joints' mass matrix with the compliance of the assembled rows. False: a pivot is not positive. */
bool rg_tree_solve_factor(RgConstraints *c);

/* The same with D (nv) more on the joint velocities, from here on; all zero: without. False: a pivot is not
   positive. */
bool rg_tree_solve_refactor(RgConstraints *c, const double *D);

/* rg_solve_bilateral's equations. Call after rg_tree_solve_factor. a (nu): in, accelerations without rows; out, with
   them. */
void rg_tree_solve_accelerations(RgConstraints *c, double share, double *a);

/* g (nu): in, impulses; out, what they do to the velocities. push (nv): impulses on joint velocities beside them; NULL:
   none. impulses (rows): of the rows. */
void rg_tree_solve_respond(const RgConstraints *c, const double *push, double *g, double *impulses);

/* step (nu): the smallest mass-weighted one that takes the joints' position errors (u NULL), or their rates at u,
   away. */
void rg_tree_solve_correction(RgConstraints *c, const double *u, double *step);

/* Largest position error of the tree's joints. */
double rg_tree_solve_error(const RgConstraints *c);

/* Largest part of u that joints and rotors forbid: the largest |J_i u| of the hard rows. */
double rg_tree_solve_rate(const RgConstraints *c, const double *u);

#endif
