//! `ashta export`: a bot as one file, with its card beside it.

use anyhow::Result;

use crate::cli::{ExportArgs, ExportFormat};
use crate::run::export;
use crate::run::games;
use crate::run::output::print;

/// Runs the command.
///
/// # Errors
/// When the run, the checkpoint or the bot cannot be read, or the file not be written.
pub fn run(args: &ExportArgs) -> Result<()> {
    let is_onnx = args.format == ExportFormat::Onnx;
    let which = args.checkpoint.as_deref();
    let (file, card) = export::write(&args.source, which, args.output.as_deref(), is_onnx, &games::folders())?;
    let ending = export::ending(is_onnx);
    print(format_args!("{ending}: {}\ncard: {}", file.display(), card.display()))
}
