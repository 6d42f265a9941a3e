//! Methods of features that are off.

use pd_runtime::{PdServer, Registry, ServerBuilder};

fn write(registry: &Registry<()>) {
    registry.export((), "tools");
    registry.export_over_edits((), "tools");
}

fn compare(registry: &Registry<()>) {
    registry.lock();
    registry.check_lock("pd.lock");
}

fn edit(registry: &Registry<()>, server: &PdServer<()>) {
    registry.overlaid("texts");
    server.overlay("texts");
}

fn imitate(builder: ServerBuilder<()>) {
    let _ = builder.preset(());
}

fn main() {}
