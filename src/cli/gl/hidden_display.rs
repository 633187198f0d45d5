//! Stands for a window that nobody sees: the display of an X server without `--window`.

use std::process::ExitCode;
use std::sync::mpsc::channel;

use curie::live::{Execution, LiveOptions};
use curie_wayland::{Event, FileIdentity, Host, Layout, Reply, Server};

use super::Arguments;
use super::serve::supervise;
use super::socket_folder::SocketFolder;
use super::x_server::XServer;
use crate::cli::failure::Failure;
use crate::cli::message;

/// Takes pictures without looking at them.
struct Unseen;

impl Host for Unseen {
    fn read(&mut self, _: FileIdentity, _: Layout, reply: Reply) {
        // Each commit ends at once.
        reply.send(Vec::new());
    }

    fn event(&mut self, event: Event) {
        if let Event::Trouble(reason) = event {
            message::warning(format_args!("display: {reason}"));
        }
    }
}

/// Runs the program with windows on an X server whose screen, of this many columns and rows, nobody sees; returns its status.
pub(super) fn run(
    arguments: &Arguments,
    (execution, options): (Execution, LiveOptions),
    screen: (u32, u32),
) -> Result<ExitCode, Failure> {
    let folder = SocketFolder::create()?;
    let _display = Server::bind(&folder.wayland())?.start(screen, Unseen)?;
    let happenings = channel();
    let server = XServer::start(arguments, (&execution, &options), &folder, &happenings)?;
    supervise(arguments, execution, options, (&folder, Some(&server.display()?)), happenings)
}
