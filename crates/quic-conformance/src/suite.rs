//! The table: stacks against requirements.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

use crate::report::{Finding, Verdict};
use crate::requirements::{REQUIREMENTS, Requirement};
use crate::scenario::Scenario;
use crate::stack::Stack;
use crate::trace::Trace;

/// A requirement that a stack is known not to meet, or that its runs don't come to.
#[derive(Debug, Clone, Copy)]
pub struct Known {
    /// The stack's name.
    pub stack: &'static str,
    /// The requirement's name.
    pub requirement: &'static str,
    /// What is measured; none of a stack whose runs aren't all the same.
    pub measured: Option<&'static str>,
}

/// Holds a stack against a requirement. One that panics misses it.
#[must_use]
pub fn held_against(stack: &dyn Stack, requirement: &Requirement) -> Finding {
    catch_unwind(AssertUnwindSafe(|| (requirement.check)(stack)))
        .unwrap_or_else(|panic| Finding::new(false, format!("panics: {}", said(&*panic))))
}

fn said(panic: &dyn Any) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    text.unwrap_or_default()
}

/// A stack whose runs are printed.
struct Printed<'a>(&'a dyn Stack);

impl Stack for Printed<'_> {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn version(&self) -> &'static str {
        self.0.version()
    }

    fn run(&self, scenario: Scenario) -> Trace {
        let trace = self.0.run(scenario);
        let mut lines: Vec<(Duration, String)> = Vec::new();
        lines.extend(trace.datagrams.iter().map(|seen| {
            let what = format!(
                "{:?} {:>4} bytes {:?} {:?}",
                seen.direction, seen.size, seen.packets, seen.fate
            );
            (seen.at, what)
        }));
        lines.extend(trace.samples.iter().map(|sample| {
            let what = format!(
                "  who sends {:?}: window {:?}, smoothed_rtt {:?}",
                sample.sender, sample.seen.window, sample.seen.smoothed_rtt
            );
            (sample.at, what)
        }));
        lines.sort_by_key(|(at, _)| *at);
        for (at, what) in lines {
            println!("      {:>9.2} ms {what}", at.as_secs_f64() * 1000.0);
        }
        trace
    }
}

/// Holds stacks against all requirements whose names contain one of the program's arguments (all, without any), prints the
/// table section by section, and compares it with what is known. `--trace` prints every datagram and sample besides. With `--markdown` it prints the table for the documentation
/// and compares nothing.
///
/// Fails where a stack misses what isn't known, or doesn't miss what is, or by another measure.
#[must_use]
pub fn main(stacks: &[Box<dyn Stack>], known: &[Known]) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_wanted = |requirement: &&Requirement| {
        let mut names = arguments
            .iter()
            .filter(|name| !name.starts_with('-'))
            .peekable();
        names.peek().is_none() || names.any(|name| requirement.id.contains(name.as_str()))
    };
    let wanted: Vec<&Requirement> = REQUIREMENTS.iter().filter(is_wanted).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        for requirement in wanted {
            println!("{}: test", requirement.id);
        }
        return ExitCode::SUCCESS;
    }
    if arguments.iter().any(|argument| argument == "--markdown") {
        markdown(stacks, &wanted);
        return ExitCode::SUCCESS;
    }
    let traced = arguments.iter().any(|argument| argument == "--trace");
    let mut section = "";
    let (mut passed, mut failed) = (0, 0);
    for requirement in wanted {
        if requirement.section != section {
            section = requirement.section;
            println!("\n{}", heading(section));
        }
        println!(
            "  {}: {} ({})",
            requirement.id, requirement.says, requirement.level
        );
        for stack in stacks {
            let finding = if traced {
                held_against(&Printed(stack.as_ref()), requirement)
            } else {
                held_against(stack.as_ref(), requirement)
            };
            let expected = known
                .iter()
                .find(|known| known.stack == stack.name() && known.requirement == requirement.id);
            let complaint = complaint(&finding, expected);
            println!(
                "    {:<6} {:<8} {} {}{}",
                stack.name(),
                stack.version(),
                finding.verdict,
                finding.measured,
                complaint
                    .as_deref()
                    .map_or(String::new(), |text| format!("  <-- FAILED: {text}"))
            );
            if complaint.is_some() {
                failed += 1;
            } else {
                passed += 1;
            }
        }
    }
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed; 0 ignored; 0 measured; 0 filtered out",
        if failed == 0 { "ok" } else { "FAILED" }
    );
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// What is wrong with a finding, seen from what is known.
fn complaint(finding: &Finding, known: Option<&Known>) -> Option<String> {
    match (finding.verdict, known) {
        (Verdict::Holds, None) => None,
        (Verdict::Holds, Some(_)) => Some("it is known as a miss: take it off the list".to_owned()),
        (_, None) => Some("it isn't known as a miss".to_owned()),
        (_, Some(known)) => known
            .measured
            .filter(|measured| *measured != finding.measured)
            .map(|measured| format!("known is: {measured}")),
    }
}

fn heading(section: &str) -> String {
    if section.starts_with("RFC") {
        section.to_owned()
    } else {
        format!("RFC 9002 {section}")
    }
}

fn markdown(stacks: &[Box<dyn Stack>], wanted: &[&Requirement]) {
    let names: Vec<String> = stacks
        .iter()
        .map(|stack| format!("{} {}", stack.name(), stack.version()))
        .collect();
    println!("| section | requirement | level | {} |", names.join(" | "));
    println!("|---|---|---|{}", "---|".repeat(stacks.len()));
    for requirement in wanted {
        let cells: Vec<String> = stacks
            .iter()
            .map(|stack| {
                let finding = held_against(stack.as_ref(), requirement);
                match finding.verdict {
                    Verdict::Holds => format!("holds: {}", finding.measured),
                    Verdict::Misses => format!("**misses**: {}", finding.measured),
                    Verdict::Unseen => format!("not seen: {}", finding.measured),
                }
            })
            .collect();
        println!(
            "| {} | {} (`{}`) | {} | {} |",
            heading(requirement.section),
            requirement.says,
            requirement.id,
            requirement.level,
            cells.join(" | ")
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: Known = Known {
        stack: "s",
        requirement: "r",
        measured: Some("7 ms"),
    };

    #[test]
    fn only_what_is_as_known_passes() {
        let missed = Finding::new(false, "7 ms");
        assert_eq!(complaint(&missed, Some(&KNOWN)), None);
        assert!(complaint(&missed, None).is_some());
        assert!(complaint(&Finding::new(false, "8 ms"), Some(&KNOWN)).is_some());
        assert!(complaint(&Finding::new(true, "7 ms"), Some(&KNOWN)).is_some());
        assert_eq!(complaint(&Finding::new(true, "7 ms"), None), None);
        assert_eq!(complaint(&Finding::unseen("7 ms"), Some(&KNOWN)), None);
    }

    #[test]
    fn every_requirement_has_its_own_name() {
        let mut ids: Vec<&str> = REQUIREMENTS
            .iter()
            .map(|requirement| requirement.id)
            .collect();
        ids.sort_unstable();
        let all = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), all);
    }
}
