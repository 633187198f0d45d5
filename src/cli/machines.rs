//! `curie machines`: lists the bundled machines and the historical products, or every parameter of one machine.

use std::fmt::Write as _;

use curie::machine::historical::{Product, historical};
use curie::machine::{AnyMachine, Machine, Parameter, Rate, Sheet, TeslaMachine, Value, bundled, open_any};
use curie::statistics::report::aligned;

use super::failure::Failure;
use super::output::{print_line, print_text};

/// Arguments of the subcommand.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// One machine: the name of a bundled one, or a file to check
    #[arg(value_name = "NAME|FILE.toml")]
    machine: Option<String>,
    /// Print one JSON object instead of tables
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand.
pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(name) = &arguments.machine {
        let machine = open_any(name)?;
        let sheet = machine.sheet();
        return if arguments.json { print_line(serde_json::to_value(sheet)?) } else { print_text(one(&sheet)) };
    }
    let machines = bundled().iter().map(|machine| open_any(machine.name)).collect::<Result<Vec<_>, _>>()?;
    if arguments.json {
        let sheets: Vec<_> = machines.iter().map(AnyMachine::sheet).collect();
        return print_line(serde_json::json!({ "machines": sheets, "historical": historical() }));
    }
    let (mut staged, mut unified) = (Vec::new(), Vec::new());
    for machine in machines {
        match machine {
            AnyMachine::Staged(machine) => staged.push(*machine),
            AnyMachine::Unified(machine) => unified.push(*machine),
        }
    }
    print_line("Machines: units and clocks\n")?;
    print_text(overview(&staged, UNITS))?;
    print_line("\nPeak rates in millions per second; memory bandwidth in GB/s\n")?;
    print_text(rates(&staged))?;
    print_line(
        "\nMachines with a unified processor; peak rates in Gflops of multiply-adds, Gtexels/s, Gpixels/s and GB/s\n",
    )?;
    print_text(overview(&unified, UNIFIED_UNITS))?;
    print_line(format_args!("\nProducts of earlier years, as printed: {}\n", historical().printed.source))?;
    print_text(products(&historical().products))
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

/// A column of the overview: its heading, and what it shows of a machine.
type Column<Of> = (&'static str, fn(&Of) -> String);

const UNITS: &[Column<Machine>] = &[
    ("name", |machine| machine.name.clone()),
    ("chip", |machine| machine.chip.clone()),
    ("core MHz", |machine| machine.clocks.core_mhz.to_string()),
    ("memory MHz", |machine| format!("{}×{}", machine.clocks.memory_transfers_per_clock, machine.clocks.memory_mhz)),
    ("bits", |machine| (machine.memory.partitions * machine.memory.partition_bits).to_string()),
    ("MiB", |machine| machine.memory.capacity.to_string()),
    ("vertex", |machine| machine.vertex.units.to_string()),
    ("pixel", |machine| {
        (u64::from(machine.fragment.quad_pipes) * u64::from(machine.fragment.pixels_per_pipe)).to_string()
    }),
    ("ROPs", |machine| machine.rop.units.to_string()),
    ("bus MB/s", |machine| machine.bus.to_chip.to_string()),
];

const UNIFIED_UNITS: &[Column<TeslaMachine>] = &[
    ("name", |machine| machine.name.clone()),
    ("chip", |machine| machine.chip.clone()),
    ("processor MHz", |machine| machine.clocks.processor_mhz.to_string()),
    ("core MHz", |machine| machine.clocks.core_mhz.to_string()),
    ("memory MHz", |machine| format!("{}×{}", machine.clocks.memory_transfers_per_clock, machine.clocks.memory_mhz)),
    ("bits", |machine| (machine.memory.partitions * machine.memory.partition_bits).to_string()),
    ("MiB", |machine| machine.memory.capacity.to_string()),
    ("multiprocessors", |machine| machine.multiprocessors().to_string()),
    ("warps", |machine| machine.multiprocessor.warps.to_string()),
    ("Gflops", |machine| rounded(2.0 * printed_rate(&machine.sheet(), "multiply_adds"))),
    ("Gtexels", |machine| rounded(printed_rate(&machine.sheet(), "texels"))),
    ("Gpixels", |machine| rounded(printed_rate(&machine.sheet(), "pixels"))),
    ("GB/s", |machine| rounded(printed_rate(&machine.sheet(), "memory_bandwidth"))),
];

fn overview<Of>(machines: &[Of], columns: &[Column<Of>]) -> String {
    let headings = columns.iter().map(|(heading, _)| (*heading).to_owned()).collect();
    let row = |machine: &Of| columns.iter().map(|(_, cell)| cell(machine)).collect();
    aligned(&std::iter::once(headings).chain(machines.iter().map(row)).collect::<Vec<_>>(), 0)
}

/// A peak rate of a machine in its printed unit.
fn printed_rate(machine: &Sheet<'_>, key: &str) -> f64 {
    machine.rates.iter().find(|rate| rate.key == key).map_or(f64::NAN, |rate| rate.printed)
}

/// Rates in the overview, with their headings.
const OVERVIEW: &[(&str, &str)] = &[
    ("vertices", "vertices"),
    ("triangles", "triangles"),
    ("zcull_pixels", "z-culled"),
    ("texels", "texels"),
    ("pixels", "pixels"),
    ("depth_only_pixels", "depth only"),
    ("pixels_4x_one_texture", "4x, 1 tex"),
    ("pixels_4x_two_textures", "4x, 2 tex"),
    ("memory_bandwidth", "GB/s"),
    ("effective_bandwidth", "compressed"),
];

fn rates(machines: &[Machine]) -> String {
    let mut rows = vec![vec!["name".to_owned()]];
    rows[0].extend(OVERVIEW.iter().map(|(_, heading)| (*heading).to_owned()));
    for machine in machines {
        let mut row = vec![machine.name.clone()];
        row.extend(OVERVIEW.iter().map(|(key, _)| rounded(printed_rate(&machine.sheet(), key))));
        rows.push(row);
    }
    aligned(&rows, 0)
}

fn products(products: &[Product]) -> String {
    let heading = [
        "product", "year", "core", "memory", "Mtri", "Mvert", "Mpix", "depth", "4x, 1", "4x, 2", "Mtex", "GB/s",
        "compr.", "µm", "Mtrans.",
    ];
    let mut rows = vec![words(heading)];
    for product in products {
        let printed = &product.printed;
        let host = if product.derived.vertices_by_host { " (CPU)" } else { "" };
        let mut row = vec![product.name.clone(), product.year.to_string()];
        row.extend([printed.core_mhz, printed.memory_mhz, printed.triangles].map(|number| number.to_string()));
        row.push(format!("{}{host}", printed.vertices));
        let fills = [printed.pixels, printed.depth_only_pixels, printed.pixels_4x_one_texture];
        row.extend(fills.map(|number| number.to_string()));
        row.extend([printed.pixels_4x_two_textures, printed.texels].map(|number| number.to_string()));
        row.extend([printed.bandwidth, printed.effective_bandwidth].map(|number| format!("{number:.1}")));
        row.extend([printed.micrometres, printed.transistors].map(|number| number.to_string()));
        rows.push(row);
    }
    aligned(&rows, 0)
}

/// Formats a number with at most one digit after the point.
fn rounded(number: f64) -> String {
    let text = format!("{number:.1}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_owned)
}

fn with_unit(value: Value, unit: &str) -> String {
    if unit.is_empty() { value.to_string() } else { format!("{value} {unit}") }
}

/// Lists every parameter and rate of one machine.
fn one(machine: &Sheet<'_>) -> String {
    let Sheet { name, title, chip, about, parameters, .. } = *machine;
    let mut text = format!("{title} ({chip}), {name}\n");
    if !about.is_empty() {
        text.push_str(&format!("{about}\n"));
    }
    let lengths = |length: fn(&Parameter) -> usize| parameters.iter().map(length).max().unwrap_or(0);
    let key_width = lengths(|parameter| parameter.row.key.len());
    let value_width = lengths(|parameter| with_unit(parameter.value, parameter.row.unit).len());
    for section in machine.sections {
        let _ = write!(text, "\n{}: {}\n", section.name, section.summary);
        for parameter in parameters.iter().filter(|parameter| parameter.row.section == section.name) {
            let value = with_unit(parameter.value, parameter.row.unit);
            let base = if parameter.file == name { String::new() } else { format!(" [{}]", parameter.file) };
            let (key, provenance, source) = (parameter.row.key, parameter.provenance, &parameter.source);
            let _ = writeln!(text, "  {key:<key_width$}  {value:<value_width$}  {provenance:<15}  {source}{base}");
        }
    }
    text.push_str("\npeak rates: units × clocks\n");
    for Rate { key, unit, printed, formula, .. } in &machine.rates {
        let value = format!("{} {unit}", rounded(*printed));
        let _ = writeln!(text, "  {key:<key_width$}  {value:<value_width$}  {formula}");
    }
    text
}
