"""Wrong kernels, each wrong in one way: what the conformance suite must see. `MUTANTS` lists them by family.

A mutant is `Mirror`, which conforms, with some of its methods replaced. A family is a function that yields
(name, entries, methods): the entries whose cases must fail (one of them at least), and what replaces what.
"""
import mutants_of_conditions as conditions
import mutants_of_constants as constants
import mutants_of_drivers as drivers
import mutants_of_examiners as examiners
import mutants_of_hardware as hardware
import mutants_of_judges as judges
import mutants_of_lodgers as lodgers
import mutants_of_lots as lots
import mutants_of_makers as makers
import mutants_of_newcomers as newcomers
import mutants_of_numbers as numbers
import mutants_of_porters as porters
import mutants_of_ports as ports
import mutants_of_protocol as protocol
import mutants_of_readers as readers
import mutants_of_shortcuts as shortcuts
import mutants_of_strangers as strangers
import mutants_of_students as students
import mutants_of_trainers as trainers
import mutants_of_translations as translations
import mutants_of_tuners as tuners
import mutants_of_users as users
import mutants_of_vendors as vendors
import mutants_of_wayfarers as wayfarers
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
            judges.judges_arithmetic, judges.judges_dtypes, judges.judges_sizes, judges.judges_strides,
            judges.judges_aliases, judges.judges_copies, judges.judges_protocol,
            drivers.drivers_vectors, drivers.drivers_tiles, drivers.drivers_geometry, drivers.drivers_numbers,
            drivers.drivers_rows, drivers.drivers_layers,
            readers.readers_unary, readers.readers_binary, readers.readers_rows, readers.readers_layers,
            readers.readers_rules,
            examiners.examiners_arithmetic, examiners.examiners_dtypes, examiners.examiners_sizes,
            examiners.examiners_strides, examiners.examiners_aliases, examiners.examiners_copies,
            examiners.examiners_protocol, lots.lots_drawn, lots.lots_drawn_again,
            lodgers.lodgers_plans, lodgers.lodgers_words, lodgers.lodgers_answers,
            trainers.trainers_norms, trainers.trainers_convolutions, trainers.trainers_pools, trainers.trainers_losses,
            wayfarers.wayfarers_arithmetic, wayfarers.wayfarers_dtypes, wayfarers.wayfarers_sizes,
            wayfarers.wayfarers_strides, wayfarers.wayfarers_aliases, wayfarers.wayfarers_copies,
            wayfarers.wayfarers_protocol,
            conditions.busy, conditions.crowds, conditions.scarce, conditions.hoarders, conditions.devices)
# Those that break nothing that the contract promises: {"family: name": why}.
EQUIVALENT = {"arithmetic: binary div": "a product with the reciprocal is within the three units that div has",
              "shaders: unary reciprocal flushes": "subnormal results are wanted where they are exact",
              **{f"makers_aliases: {name}": "the core gives it a result of its own" for name in (
                  "scan: the second pass reads what the first has written", "gather: into its own index",
                  "softmax: in its operand's place sums what it wrote")},
              "ported_pointwise: gcd of the smallest int8": "has no positive, so what it gives is left open",
              "readers_binary: mul of complex by three products": "complex results are judged by their modulus",
              "readers_rows: uniform reaches b": "16-bit floats are rounded, to b if that is next",
              "readers_layers: softmax_backward: log by the other formula": "of one probability both are 0",
              "examiners_arithmetic: pow with one half is a root": "as on the CPU, and in PyTorch",
              "lots_drawn_again: reduce of any 0: operand 1 is read infinity as the largest (by 8)": "true as well",
              "trainers_pools: pool_backward of float16 is added there": "16-bit sums may be rounded after each step",
              "places: cumprod by logarithms": "within what running products of as many factors may be off"}
# Those that no case sees yet.
UNSEEN = ("lots_drawn: binary_scalar of left_shift 0: operand 1 is read on where its stride is 0 (by 16)",
          "lots_drawn: layer_norm_backward 0: operand 0 is read infinity as the largest (by 64)",
          "trainers_losses: fft: axes of rank three and more")
MUTANTS = [Mutant(family.__name__, *each) for family in FAMILIES for each in family()]
