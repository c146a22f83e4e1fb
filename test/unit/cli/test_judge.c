/* test_judge.c - verdicts of rows from expected.csv and measured.csv, and files that are refused. */
#define _XOPEN_SOURCE 700
#include "lab.h"
#include "reproduce/reproduce.h"

#include "check_near.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const Experiment thrown = {.name = "a-throw", .title = "a throw"};

typedef struct Place {
    char root[64];
    RgReproduce r;
} Place;

static void put_file(Place *p, const char *file, const char *text)
{
    FILE *out = fopen(rg_pool_print(&p->r.pool, "%s/%s", p->root, file), "w");
    cr_assert_not_null(out);
    fputs(text, out);
    fclose(out);
}

/* A folder of data and one of results, with what the experiment is expected to give. */
static void begin(Place *p, const char *expected)
{
    *p = (Place){.root = "/tmp/rigor-judge-XXXXXX"};
    cr_assert_not_null(mkdtemp(p->root));
    p->r.data = rg_pool_print(&p->r.pool, "%s", p->root);
    p->r.folder = rg_pool_print(&p->r.pool, "%s/results", p->root);
    const char *folders[] = {"experiments", "experiments/a-throw", "results", "results/a-throw"};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(mkdir(rg_pool_print(&p->r.pool, "%s/%s", p->root, folders[i]), 0777), 0);
    put_file(p, "experiments/a-throw/expected.csv", expected);
}

static void end(Place *p)
{
    cr_expect_eq(system(rg_pool_print(&p->r.pool, "rm -r '%s'", p->root)), 0);
    rg_pool_free(&p->r.pool);
}

#define HEAD "name,published,low,high,better,form,unit,source,why\n"

Test(judge, verdicts)
{
    Place p;
    RgJudged judged;
    begin(&p, HEAD "in,2,1,3,,both,m,Table 1,\nless,2,1,3,less,both,,,\nmore,2,1,3,more,both,,,\n"
                   "worse,2,1,3,less,both,,,known\nopen,,,5,,both,,,\nnan,,0,,,both,,,\ngone,,0,,,both,,,"
                   "\nleft,,0,,,both,,,\n"
                   "long,,0,1,,whole,,,\n");
    LabDef def = {.folder = rg_pool_print(&p.r.pool, "%s/a-throw", p.r.folder), .models = ".", .mark = "m"};
    Lab *lab = lab_open(&def);
    cr_assert_not_null(lab);
    lab_measured(lab, "in", 1.0 + 1e-15); /* with all its digits */
    lab_measured(lab, "less", 0.5);
    lab_measured(lab, "more", 9.0);
    lab_measured(lab, "worse", 9.0);
    lab_measured(lab, "open", -1e300);
    lab_measured(lab, "nan", (double)NAN);
    lab_skipped(lab, "left", "no \"file\", %d", 7);
    lab_measured(lab, "stray", 1.0);
    lab_say(lab, "said");
    cr_assert(lab_close(lab));
    cr_assert(rg_reproduce_judge(&p.r, &thrown, &judged));
    static const RgVerdict verdicts[] = {RG_VERDICT_inside,  RG_VERDICT_better,  RG_VERDICT_better,
                                         RG_VERDICT_outside, RG_VERDICT_inside,  RG_VERDICT_outside,
                                         RG_VERDICT_missing, RG_VERDICT_skipped, RG_VERDICT_missing};
    cr_assert_eq(judged.nrows, 9);
    for (int i = 0; i < 9; i++)
        cr_expect_eq(judged.rows[i].verdict, verdicts[i], "%s is %s", judged.rows[i].name,
                     rg_verdict_name(judged.rows[i].verdict));
    CHECK_NEAR(judged.rows[0].measured, 1.0 + 1e-15, 0.0, "");
    cr_expect_str_eq(judged.rows[7].why, "no \"file\", 7");
    cr_expect_eq(judged.nsaid, 1);
    cr_expect_eq(judged.nfailures, 1, "a row that is not expected is a failure");
    CHECK_NEAR(rg_reproduce_share(&judged, 1, true), 75.0, 1e-12, "%");

    /* The quick form does not ask for the last row. */
    p.r.quick = true;
    cr_assert(rg_reproduce_judge(&p.r, &thrown, &judged));
    cr_expect_eq(judged.nrows, 8);
    end(&p);
}

Test(judge, an_experiment_that_was_cut_off_has_failed)
{
    Place p;
    RgJudged judged;
    begin(&p, HEAD "in,2,1,3,,both,m,Table 1,\n");
    cr_assert(rg_reproduce_judge(&p.r, &thrown, &judged));
    cr_expect_eq(judged.nfailures, 1);
    cr_expect_eq(judged.rows[0].verdict, RG_VERDICT_missing);
    end(&p);
}

Test(judge, refuses_rows_that_cannot_be_judged)
{
    static const char *const bad[] = {"name,low\n",
                                      HEAD "in,2,1,3,,both,m\n",
                                      HEAD "in,2,3,1,,both,m,,\n",
                                      HEAD "in,2,,,,both,m,,\n",
                                      HEAD "in,two,1,3,,both,m,,\n",
                                      HEAD "in,2,1,3,lower,both,m,,\n",
                                      HEAD "in,,1,3,less,both,m,,\n",
                                      HEAD "in,2,1,3,less,long,m,,\n"};
    for (int i = 0; i < (int)(sizeof bad / sizeof bad[0]); i++) {
        Place p;
        RgJudged judged;
        begin(&p, bad[i]);
        cr_expect_not(rg_reproduce_judge(&p.r, &thrown, &judged), "case %d", i);
        end(&p);
    }
}
