//! `curie machines`: lists the bundled machines and the historical products, or every parameter of one machine.

use std::fmt::Write as _;

use curie::machine::historical::{Product, historical};
use curie::machine::{
    AnyMachine, Machine, Parameter, RATES, RateRow, SECTIONS, SectionRow, TESLA_MACHINES, TESLA_SECTIONS, TeslaMachine,
    Value, bundled, open, open_any, open_tesla, rate,
};

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
    let json = arguments.json;
    if let Some(name) = &arguments.machine {
        return match open_any(name)? {
            AnyMachine::Graphics(machine) if json => print_line(serde_json::to_value(&machine)?),
            AnyMachine::Graphics(machine) => print_text(one(&machine)),
            AnyMachine::Tesla(machine) if json => print_line(serde_json::to_value(&machine)?),
            AnyMachine::Tesla(machine) => print_text(one_tesla(&machine)),
        };
    }
    let machines = bundled().iter().map(|machine| open(machine.name)).collect::<Result<Vec<_>, _>>()?;
    let tesla = TESLA_MACHINES.iter().map(|machine| open_tesla(machine.name)).collect::<Result<Vec<_>, _>>()?;
    if json {
        let all = serde_json::json!({ "machines": machines, "tesla": tesla, "historical": historical() });
        return print_line(all);
    }
    print_line("Machines: units and clocks\n")?;
    print_text(units(&machines))?;
    print_line("\nPeak rates in millions per second; memory bandwidth in GB/s\n")?;
    print_text(rates(&machines))?;
    print_line("\nMachines of compute kernels; peak rates in Gflops of multiply-adds and GB/s\n")?;
    print_text(tesla_units(&tesla))?;
    print_line(format_args!("\nProducts of earlier years, as printed: {}\n", historical().printed.source))?;
    print_text(products(&historical().products))
}

/// Lays out a table with the first column left-aligned and the others right-aligned.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(at, (cell, &width))| match at {
            0 => format!("{cell:<width$}"),
            _ => format!("  {cell:>width$}"),
        });
        format!("{}\n", cells.collect::<String>().trim_end())
    };
    rows.iter().map(line).collect()
}

fn words<const N: usize>(words: [&str; N]) -> Vec<String> {
    words.map(str::to_owned).to_vec()
}

fn units(machines: &[Machine]) -> String {
    let heading = ["name", "chip", "core MHz", "memory MHz", "bits", "MiB", "vertex", "pixel", "ROPs", "bus MB/s"];
    let mut rows = vec![words(heading)];
    for machine in machines {
        let Machine { name, chip, clocks, bus, vertex, fragment, rop, memory, .. } = machine;
        rows.push(vec![
            name.clone(),
            chip.clone(),
            clocks.core_mhz.to_string(),
            format!("{}×{}", clocks.memory_transfers_per_clock, clocks.memory_mhz),
            (memory.partitions * memory.partition_bits).to_string(),
            memory.capacity.to_string(),
            vertex.units.to_string(),
            (u64::from(fragment.quad_pipes) * u64::from(fragment.pixels_per_pipe)).to_string(),
            rop.units.to_string(),
            bus.to_chip.to_string(),
        ]);
    }
    table(&rows)
}

fn tesla_units(machines: &[TeslaMachine]) -> String {
    let heading = [
        "name",
        "chip",
        "processor MHz",
        "core MHz",
        "memory MHz",
        "bits",
        "MiB",
        "multiprocessors",
        "warps",
        "Gflops",
        "GB/s",
    ];
    let mut rows = vec![words(heading)];
    for machine in machines {
        let TeslaMachine { name, chip, clocks, multiprocessor, memory, .. } = machine;
        let [(_, multiply_adds, _), _, (_, bandwidth, _)] = machine.rates();
        rows.push(vec![
            name.clone(),
            chip.clone(),
            clocks.processor_mhz.to_string(),
            clocks.core_mhz.to_string(),
            format!("{}×{}", clocks.memory_transfers_per_clock, clocks.memory_mhz),
            (memory.partitions * memory.partition_bits).to_string(),
            memory.capacity.to_string(),
            machine.multiprocessors().to_string(),
            multiprocessor.warps.to_string(),
            rounded(2.0 * multiply_adds / 1e9),
            rounded(bandwidth / 1e9),
        ]);
    }
    table(&rows)
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
        for (key, _) in OVERVIEW {
            let scale = if key.ends_with("bandwidth") { 1e9 } else { 1e6 };
            row.push(rate(machine, key).map_or_else(String::new, |rate| rounded(rate / scale)));
        }
        rows.push(row);
    }
    table(&rows)
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
    table(&rows)
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
fn one(machine: &Machine) -> String {
    let Machine { name, title, chip, about, .. } = machine;
    let rates = RATES.iter().map(|row| {
        let RateRow { key, unit, scale, formula, of, .. } = row;
        (*key, format!("{} {unit}", rounded(of(machine) / scale)), *formula)
    });
    sheet([name, title, chip, about], SECTIONS, machine.parameters(), rates)
}

/// Lists every parameter and rate of a machine of kernels.
fn one_tesla(machine: &TeslaMachine) -> String {
    let TeslaMachine { name, title, chip, about, .. } = machine;
    let rates = machine.rates().map(|(key, rate, formula)| {
        let unit = if key.ends_with("bandwidth") { "GB/s" } else { "Gops/s" };
        (key, format!("{} {unit}", rounded(rate / 1e9)), formula)
    });
    sheet([name, title, chip, about], TESLA_SECTIONS, machine.parameters(), rates.into_iter())
}

/// Lists parameters and rates: each rate with its name, value and formula.
fn sheet(
    [name, title, chip, about]: [&String; 4],
    sections: &[SectionRow],
    parameters: &[Parameter],
    rates: impl Iterator<Item = (&'static str, String, &'static str)>,
) -> String {
    let mut text = format!("{title} ({chip}), {name}\n");
    if !about.is_empty() {
        text.push_str(&format!("{about}\n"));
    }
    let lengths = |length: fn(&Parameter) -> usize| parameters.iter().map(length).max().unwrap_or(0);
    let key_width = lengths(|parameter| parameter.row.key.len());
    let value_width = lengths(|parameter| with_unit(parameter.value, parameter.row.unit).len());
    for section in sections {
        let _ = write!(text, "\n{}: {}\n", section.name, section.summary);
        for parameter in parameters.iter().filter(|parameter| parameter.row.section == section.name) {
            let value = with_unit(parameter.value, parameter.row.unit);
            let base = if parameter.file == *name { String::new() } else { format!(" [{}]", parameter.file) };
            let (key, provenance, source) = (parameter.row.key, parameter.provenance, &parameter.source);
            let _ = writeln!(text, "  {key:<key_width$}  {value:<value_width$}  {provenance:<15}  {source}{base}");
        }
    }
    text.push_str("\npeak rates: units × clocks\n");
    for (key, value, formula) in rates {
        let _ = writeln!(text, "  {key:<key_width$}  {value:<value_width$}  {formula}");
    }
    text
}
