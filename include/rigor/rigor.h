/* rigor.h - the whole public interface. */
#ifndef RIGOR_RIGOR_H
#define RIGOR_RIGOR_H

#include <rigor/attachment.h>
#include <rigor/base.h>
#include <rigor/batch.h>
#include <rigor/certificate.h>
#include <rigor/collision.h>
#include <rigor/control.h>
#include <rigor/dynamics.h>
#include <rigor/field.h>
#include <rigor/math.h>
#include <rigor/message.h>
#include <rigor/model.h>
#include <rigor/problem.h>
#include <rigor/record.h>
#include <rigor/scene.h>
#include <rigor/settings.h>
#include <rigor/sim.h>
#include <rigor/solver.h>
#include <rigor/table.h>
#include <rigor/verify.h>

#endif
