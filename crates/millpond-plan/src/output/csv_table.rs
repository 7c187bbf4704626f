//! Tables as CSV.

use super::foreign::for_csv;
use crate::error::{Failure, shown};

/// A table of CSV, each of whose fields is [fit to be shown](for_csv).
#[derive(Debug)]
pub struct CsvTable(csv::Writer<Vec<u8>>);

impl CsvTable {
    /// A table without a line.
    #[must_use]
    pub fn new() -> Self {
        Self(csv::Writer::from_writer(Vec::new()))
    }

    /// Adds a line.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn line<F: AsRef<str>>(
        &mut self,
        fields: impl IntoIterator<Item = F>,
    ) -> Result<(), Failure> {
        for field in fields {
            self.0.write_field(for_csv(field.as_ref()).as_bytes()).map_err(failed)?;
        }
        self.0.write_record(None::<&[u8]>).map_err(failed)
    }

    /// The finished table.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn text(self) -> Result<String, Failure> {
        let text = self.0.into_inner().map_err(|error| failed(error.into_error().into()))?;
        Ok(String::from_utf8_lossy(&text).into_owned())
    }
}

impl Default for CsvTable {
    fn default() -> Self {
        Self::new()
    }
}

/// A field; empty if the value is unknown.
pub fn csv_field(value: Option<impl ToString>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

fn failed(error: csv::Error) -> Failure {
    Failure::Output(format!("the table: {}", shown(error.to_string().as_bytes())))
}
