use crate::parameters::audit_request::ExportForm;
use crate::records::audit_record::AuditRecord;

/// The names in the first line of a table.
const HEAD: &str =
    "id,at,action,actorType,actorId,via,viaId,targetType,targetId,userId,changes,requestId,address,organizationId\r\n";

impl ExportForm {
    pub(super) fn content_type(self) -> &'static str {
        match self {
            Self::JsonLines => "application/jsonl",
            Self::Csv => "text/csv; charset=utf-8",
        }
    }

    /// The text before the first event.
    pub(super) fn head(self) -> &'static str {
        match self {
            Self::JsonLines => "",
            Self::Csv => HEAD,
        }
    }

    /// Writes an event as one line.
    pub(super) fn write(self, record: &AuditRecord, lines: &mut Vec<u8>) -> Result<(), serde_json::Error> {
        match self {
            Self::JsonLines => {
                serde_json::to_writer(&mut *lines, record)?;
                lines.push(b'\n');
            }
            Self::Csv => {
                let cells = record.cells().map(|text| cell(&text));
                lines.extend_from_slice(cells.join(",").as_bytes());
                lines.extend_from_slice(b"\r\n");
            }
        }
        Ok(())
    }
}

/// A string as a cell. A string that a spreadsheet would take for a formula begins with an apostrophe, because users choose
/// some of the strings.
fn cell(text: &str) -> String {
    let guard = if text.starts_with(['=', '+', '-', '@', '\t', '\r']) { "'" } else { "" };
    format!("\"{guard}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_keep_what_they_have_and_are_no_formulas() {
        for (text, expected) in [
            ("", r#""""#),
            ("key.revoked", r#""key.revoked""#),
            (r#"say "hi", now"#, r#""say ""hi"", now""#),
            ("=cmd()", r#""'=cmd()""#),
            ("@sum", r#""'@sum""#),
            ("a=b", r#""a=b""#),
        ] {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn every_column_has_a_name() {
        assert_eq!(HEAD.trim_end().split(',').count(), AuditRecord::CELLS);
    }
}
