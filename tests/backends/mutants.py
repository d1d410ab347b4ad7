"""Wrong kernels, each wrong in one way: what the conformance suite must see. `MUTANTS` lists them by family.

A mutant is `Mirror`, which conforms, with some of its methods replaced. A family is a function that yields
(name, entries, methods): the entries whose cases must fail (one of them at least), and what replaces what.
"""
import mutants_of_conditions as conditions
import mutants_of_constants as constants
import mutants_of_hardware as hardware
import mutants_of_makers as makers
import mutants_of_newcomers as newcomers
import mutants_of_numbers as numbers
import mutants_of_porters as porters
import mutants_of_ports as ports
import mutants_of_protocol as protocol
import mutants_of_shortcuts as shortcuts
import mutants_of_strangers as strangers
import mutants_of_students as students
import mutants_of_translations as translations
import mutants_of_tuners as tuners
import mutants_of_users as users
import mutants_of_vendors as vendors
from mutant import Mutant

FAMILIES = (numbers.arithmetic, numbers.negative_zero, numbers.aliasing, numbers.strides, numbers.limits,
            numbers.dtypes, protocol.rows, protocol.indices, protocol.networks, protocol.order, protocol.memory,
            protocol.protocol, strangers.numbers_of_strangers, strangers.dtypes_of_strangers,
            strangers.sizes_of_strangers, strangers.strides_of_strangers, strangers.protocol_of_strangers,
            vendors.formulas, vendors.conversions, vendors.plans, vendors.geometry, vendors.answers,
            users.values, users.rows, users.places,
            hardware.units, hardware.blocks, hardware.layouts, hardware.usual_cases, hardware.shared_state,
            ports.types, ports.descriptors, ports.limits_of_libraries, ports.habits,
            shortcuts.formulas_of_usual_numbers, shortcuts.rows_of_usual_numbers, shortcuts.losses,
            shortcuts.geometry_of_most_calls, shortcuts.answers_of_most_calls,
            constants.options, constants.operands, constants.programs, constants.matrices, constants.grids,
            translations.shaders, translations.halves, translations.packed, translations.plans, translations.layers,
            translations.places,
            tuners.tuned_moves, tuners.tuned_pointwise, tuners.tuned_rows, tuners.tuned_layers,
            porters.ported_moves, porters.ported_pointwise, porters.ported_rows, porters.ported_layers,
            newcomers.first_moves, newcomers.first_pointwise, newcomers.first_rows, newcomers.first_layers,
            makers.makers_plans, makers.makers_tiles, makers.makers_lanes, makers.makers_passes,
            makers.makers_nan_and_zeros, makers.makers_aliases, makers.makers_numbers,
            students.students_formulas, students.students_types, students.students_sizes, students.students_strides,
            students.students_aliases, students.students_transfers, students.students_habits,
            conditions.busy, conditions.crowds, conditions.scarce, conditions.hoarders, conditions.devices)
# Those that break nothing that the contract promises: {"family: name": why}.
EQUIVALENT = {"arithmetic: binary div": "a product with the reciprocal is within the three units that div has",
              "shaders: unary reciprocal flushes": "subnormal results are wanted where they are exact",
              **{f"makers_aliases: {name}": "the core gives it a result of its own" for name in (
                  "scan: the second pass reads what the first has written", "gather: into its own index",
                  "softmax: in its operand's place sums what it wrote")},
              "ported_pointwise: gcd of the smallest int8": "has no positive, so what it gives is left open",
              "places: cumprod by logarithms": "within what running products of as many factors may be off"}
# Those that no case sees yet.
UNSEEN = ()
MUTANTS = [Mutant(family.__name__, *each) for family in FAMILIES for each in family()]
