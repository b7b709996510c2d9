//! `ashta export`: writes a bot file or an ONNX model, and the model card.

use anyhow::Result;

use crate::{
    cli::{ExportArgs, ExportFormat},
    run::{export, games, output::print},
};

/// Runs the command.
///
/// # Errors
/// When the run, the checkpoint or the bot cannot be read, or a file cannot be written.
pub fn run(args: &ExportArgs) -> Result<()> {
    let is_onnx = args.format == ExportFormat::Onnx;
    let which = args.checkpoint.as_deref();
    let (output, card) = (args.output.as_deref(), args.card.as_deref());
    let file = export::write(
        &args.source,
        which,
        output,
        card,
        is_onnx,
        &games::folders(),
    )?;
    print(format_args!(
        "{}: {}",
        export::ending(is_onnx),
        file.display()
    ))?;
    card.map_or(Ok(()), |card| {
        print(format_args!("card: {}", card.display()))
    })
}
