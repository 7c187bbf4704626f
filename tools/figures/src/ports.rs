//! The ports' tables: what `ports/run all` printed, and what follows from it.

use std::fmt::Write;

/// The most that a port's instructions were to be of those before.
const MOST: f64 = 1.03;

/// What `ports/run all` printed: a table of the crates, and one of the rows of all benchmarks.
#[derive(Debug)]
pub(crate) struct Ports {
    crates: String,
    rows: String,
}

impl Ports {
    pub(crate) fn of(text: &str) -> Result<Self, String> {
        let (crates, rows) = text.split_once("\n\n").ok_or("expected two tables")?;
        Ok(Self { crates: format!("{crates}\n"), rows: format!("{}\n", rows.trim_end()) })
    }

    pub(crate) fn figure(&self, name: &str) -> Result<String, String> {
        match name {
            "crates" => Ok(self.crates.clone()),
            "rows" => Ok(self.rows.clone()),
            "worst" => self.worst(),
            _ => Err(format!("no figure 'ports {name}'")),
        }
    }

    /// Of each crate the most instructions and the most time of one row, after ÷ before.
    fn worst(&self) -> Result<String, String> {
        let mut crates: Vec<(&str, f64, f64)> = Vec::new();
        for line in self.rows.lines().skip(2) {
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [title, instructions, time, _] = cells[..] else {
                return Err(format!("not four cells: '{line}'"));
            };
            if let Some(name) = title.strip_prefix("**").and_then(|name| name.strip_suffix("**")) {
                crates.push((name, 0.0, 0.0));
                continue;
            }
            let number = |cell: &str| {
                let number = cell.split(' ').next().and_then(|number| number.parse::<f64>().ok());
                number.ok_or_else(|| format!("no number in '{line}'"))
            };
            let (_, most_instructions, most_time) =
                crates.last_mut().ok_or_else(|| format!("of no crate: '{line}'"))?;
            *most_instructions = most_instructions.max(number(instructions)?);
            *most_time = most_time.max(number(time)?);
        }
        let mut text =
            String::from("| worst row of | instructions | | time |\n| --- | ---: | --- | ---: |\n");
        for (name, instructions, time) in crates {
            let verdict = if instructions > MOST { "missed" } else { "met" };
            _ = writeln!(text, "| {name} | {instructions:.3} | {verdict} | {time:.2} |");
        }
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worst_row_of_each_crate_is_found() {
        let printed = "| port |\n| --- |\n| `a` |\n\n\
            | | instructions | time | memory |\n| --- | ---: | --- | --- |\n\
            | **a** | | | |\n| one | 0.9 | 1.20 (1.19 to 1.21) | – |\n| two | 1.030 | 0.90 (0.8 to 1) | – |\n\
            | **b** | | | |\n| one | 1.031 | 0.90 (0.8 to 1) | – |\n";
        let ports = Ports::of(printed).unwrap();
        assert_eq!(ports.figure("crates").unwrap(), "| port |\n| --- |\n| `a` |\n");
        let worst = ports.figure("worst").unwrap();
        assert!(
            worst.ends_with("| a | 1.030 | met | 1.20 |\n| b | 1.031 | missed | 0.90 |\n"),
            "{worst}"
        );
        let cut = Ports::of(&printed.replace("| **a** | | | |\n", "")).unwrap();
        assert_eq!(
            cut.figure("worst").unwrap_err(),
            "of no crate: '| one | 0.9 | 1.20 (1.19 to 1.21) | – |'"
        );
        assert_eq!(Ports::of("| port |\n").unwrap_err(), "expected two tables");
    }
}
