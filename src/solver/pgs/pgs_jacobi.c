/*
 * pgs_jacobi.c - the row-parallel Gauss-Seidel of paper 003, in a deterministic form.
 *
 * The rows are divided into chunks of consecutive rows; rows of a bundle (pgs_lanes.h) stay together. In the paper each
 * processor sweeps its chunk on shared velocities without locks, so a chunk sees whatever the others have written. Here
 * a chunk sees its own changes, and those of the others only when the sweep ends: Gauss-Seidel within chunks, Jacobi
 * between them.
 *
 * Mass splitting (Tonge, Benevolenski and Voroshilov 2012). n_k chunks have rows on unknown k. Each of them sees the
 * n_k-th part of its mass, and after the sweep the n_k velocities are averaged:
 *
 *   s_c = s;   Gauss-Seidel over the rows of chunk c, s_c += N J_i' dz_i,  A_ii = J_i N J_i' + C_i,  N = diag(n)
 *   s <- s + N^-1 sum (s_c - s), c = 0, 1, ...        which is s + J' dz
 *
 * It cannot diverge if bounds do not depend on impulses. Let E(z) = 1/2 z'(J J' + C) z + z'(J s* - target), whose
 * minimum within the bounds is the solution, and dz_c the changes of chunk c in a sweep. By Cauchy's inequality (sum_c
 * x_c)^2 <= n_k sum_c x_c^2 for the n_k chunks that change unknown k,
 *
 *   E(z + dz) <= E(z) + sum_c [ dz_c'w + 1/2 dz_c'(J_c N J_c' + C) dz_c ]
 *
 * and each Gauss-Seidel step with sor < 2 decreases the bracket of its chunk: E decreases in every sweep, for any
 * chunks. With friction, whose bounds depend on the normal impulses, it behaves like Gauss-Seidel.
 *
 * Without mass splitting N = 1, as in paper 003: faster where chunks share few bodies, divergent where many rows of
 * different chunks act on one body (sor > 2 / n_k at worst). Then reduce sor or increase cfm, as the paper says.
 *
 * Velocities and rows are scaled in the sweeps, N^-1/2 s and J N^1/2 (pgs_pack.c), and every chunk has copies of the
 * velocities that its rows act on. So the sweeps are those of `pgs` on another problem: rows in lanes, in the order of
 * its stages and colours within each chunk. At the end of a sweep copies of the same velocity are averaged.
 *
 * The number of chunks is an option, independent of the number of threads, and sums are made in the order of the
 * chunks: bitwise identical results for any number of threads. Cost: a sweep is linear in the coefficients and in the
 * copies of shared cells.
 */
#include "solver/pgs/pgs_sweeps.h"

void rg_pgs_average(RgPgsCells *c, double *V, int32_t first, int32_t end)
{
    for (int32_t k = first; k < end; k++) {
        int32_t cell = c->shared[k];
        double n = c->root[cell] * c->root[cell];
        for (int i = 0; i < rg_pgs_cell_width(c, cell); i++) {
            double before = c->before[RG_PGS_STRIDE * k + i], after = before;
            for (int32_t j = c->first[cell]; j < c->first[cell + 1]; j++)
                after += (V[c->place[j] + i] - before) / n;
            for (int32_t j = c->first[cell]; j < c->first[cell + 1]; j++)
                V[c->place[j] + i] = after;
            c->before[RG_PGS_STRIDE * k + i] = after;
        }
    }
}

RgStatus rg_pgs_jacobi_solve(RgArena *arena, RgProblem *problem, const RgPgsOptions *options, RgSolveReport *report)
{
    return rg_pgs_solve_chunks(arena, problem, options, options->chunks, report);
}
