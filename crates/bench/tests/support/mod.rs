//! A small test harness for programs that must stay single-threaded until they have entered their
//! isolation, which the standard one can't. It speaks as the standard one does.

use std::panic::{UnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Instant;

/// One test: its name, which says what it proves, and what proves it.
pub(crate) type Case = (&'static str, fn());

/// Runs the cases that the command line asks for. `lacking` says what the host lacks for them and
/// the mend: then none is run, each is counted as ignored, and where the variable CI is `true`
/// each fails.
pub(crate) fn run(cases: &[Case], lacking: Option<&str>) -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let exact = arguments.iter().any(|a| a == "--exact");
    let filters: Vec<&String> = arguments.iter().filter(|a| !a.starts_with('-')).collect();
    let asked = |name: &str| {
        filters.is_empty()
            || filters.iter().any(|f| {
                if exact {
                    name == *f
                } else {
                    name.contains(f.as_str())
                }
            })
    };
    let chosen: Vec<&Case> = cases.iter().filter(|(name, _)| asked(name)).collect();
    if arguments.iter().any(|a| a == "--list") {
        for (name, _) in &chosen {
            println!("{name}: test");
        }
        println!("\n{} tests, 0 benchmarks", chosen.len());
        return ExitCode::SUCCESS;
    }
    let started = Instant::now();
    let required = std::env::var("CI").is_ok_and(|ci| ci == "true");
    let (mut passed, mut failed, mut ignored) = (0, 0, 0);
    println!("\nrunning {} tests", chosen.len());
    for (name, prove) in &chosen {
        let (word, count) = match lacking {
            Some(lacking) if required => (format!("FAILED, not run: {lacking}"), &mut failed),
            Some(lacking) => (format!("ignored, not run: {lacking}"), &mut ignored),
            None if holds(*prove) => ("ok".to_owned(), &mut passed),
            None => ("FAILED".to_owned(), &mut failed),
        };
        *count += 1;
        println!("test {name} ... {word}");
    }
    println!(
        "\ntest result: {}. {passed} passed; {failed} failed; {ignored} ignored; 0 measured; \
         {} filtered out; finished in {:.2}s\n",
        if failed == 0 { "ok" } else { "FAILED" },
        cases.len() - chosen.len(),
        started.elapsed().as_secs_f64()
    );
    ExitCode::from(if failed == 0 { 0 } else { 101 })
}

fn holds(prove: impl FnOnce() + UnwindSafe) -> bool {
    catch_unwind(prove).is_ok()
}
