//! `switchback serve`: MCP on stdin and stdout. What is said here is said on stderr; stdout is the protocol.

use super::arguments::ServeArguments;
use super::desk::block_on;
use super::error::CommandError;
use super::exit::Exit;
use super::store::{directory, workspace};
use crate::house::{Carries, Client, Flags, House};
use crate::mcp;
use std::sync::Arc;

/// Carries the command out.
pub(crate) fn serve(arguments: &ServeArguments) -> Result<Exit, CommandError> {
    let flags = Flags { toolsets: arguments.toolsets.clone(), read_only: arguments.read_only };
    let client = Client::here(workspace()?, flags);
    block_on(alone(client))?
}

/// Everything in this one process.
async fn alone(client: Client) -> Result<Exit, CommandError> {
    let (house, _) = House::open(&directory()?, Carries::Asked).await?;
    let house = Arc::new(house);
    let served = mcp::serve(Arc::clone(&house), client, tokio::io::stdin(), tokio::io::stdout()).await;
    if let Some(house) = Arc::into_inner(house) {
        house.close().await;
    }
    served.map(|()| Exit::Succeeded).map_err(|error| CommandError::internal("mcp", error))
}
