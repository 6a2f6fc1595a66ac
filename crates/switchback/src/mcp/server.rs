//! The handler of one connection: hands requests to tools, resources and prompts, and holds nothing itself.

use super::answer::{Answered, response, result};
use super::arguments::Arguments;
use super::call::Call;
use super::instructions::INSTRUCTIONS;
use super::last;
use super::problem::{Problem, said_value};
use super::visit::Visit;
use super::{complete, misread, prompts, resources, tools};
use crate::settings::Settings;
use engine::mistake::{Mistake, caught};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomNotification,
    CustomRequest, CustomResult, GetPromptRequestParams, GetPromptResponse, Implementation,
    InitializeRequestParams, InitializeResult, InitializeResultMethod, ListPromptsResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams,
    ProtocolVersion, ReadResourceRequestParams, ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tokio::time::Instant;

/// Speaks for a visit that somebody else keeps up.
pub(super) struct Server {
    visit: Weak<Visit>,
    name: String,
    /// Whether `initialize` was said.
    begun: AtomicBool,
}

impl Server {
    /// A server for a visit. It does not keep the visit up: only calls do.
    pub(super) fn new(visit: &Arc<Visit>) -> Server {
        let name = visit.settings().name.clone();
        Server { visit: Arc::downgrade(visit), name, begun: AtomicBool::new(false) }
    }

    fn visit(&self) -> Result<Arc<Visit>, ErrorData> {
        self.visit.upgrade().ok_or_else(|| ErrorData::internal_error("the connection is closed", None))
    }

    /// The visit of a request that wants something of the house.
    async fn inside(&self) -> Result<Arc<Visit>, ErrorData> {
        let visit = self.visit()?;
        visit.look_again().await;
        Ok(visit)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let about = Implementation::new(&self.name, env!("CARGO_PKG_VERSION"))
            .with_title("Switchback")
            .with_description("Repeatable multi-step work that is recorded step by step");
        ServerConfig::new(capabilities).with_server_info(about).with_instructions(INSTRUCTIONS)
    }

    /// Opens a conversation of the older era, once: one that has begun, in whichever era, goes on as it is.
    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        // Whoever opens by this request is known by it already; in the newer era nobody ever is.
        if context.peer.peer_info().is_none() || self.begun.swap(true, Ordering::Relaxed) {
            return Err(ErrorData::method_not_found::<InitializeResultMethod>());
        }
        self.negotiate_initialize(&request)
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        is_first_page(request.as_ref())?;
        Ok(ListToolsResult::with_all_items(tools::list(&*self.visit()?.fresh_settings().await)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::listed(name)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let visit = self.inside().await?;
        let _under_way = visit.last.call();
        let settings = visit.fresh_settings().await;
        let over = context.ct.clone();
        let answered = caught(call(Arc::clone(&visit), &settings, request, context)).await;
        let answered = answered.unwrap_or_else(|mistake| Err(mistaken(mistake)));
        if visit.is_ending() && (answered.is_err() || over.is_cancelled()) {
            // The pipe asks the next daemon instead, or says that there is none.
            std::future::pending::<()>().await;
        }
        let gone = no_folder(&visit.client.workspace);
        let warnings: Vec<String> = gone.into_iter().chain(warnings(&settings, &answered)).collect();
        Ok(response(answered, &warnings))
    }

    /// A request that has not the form of its method, or a method that nobody knows.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != misread::CALL {
            return Err(misread::error(&request));
        }
        let settings = self.visit()?.fresh_settings().await;
        let mut result = result(Err(misread::call(&request, &settings)), &settings.troubles());
        let is_new = |version: ProtocolVersion| version >= ProtocolVersion::V_2026_07_28;
        if !context.protocol_version().is_some_and(is_new) {
            result.result_type = None;
        }
        let result = serde_json::to_value(result).expect("BUG: a result has no JSON form");
        Ok(CustomResult::new(result))
    }

    /// Our own pipe says when its client has said its last line.
    async fn on_custom_notification(
        &self,
        notification: CustomNotification,
        _: NotificationContext<RoleServer>,
    ) {
        if let (last::NOTIFICATION, Ok(visit)) = (notification.method.as_str(), self.visit()) {
            visit.last.said(Duration::from_secs(visit.settings().call_seconds));
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        is_first_page(request.as_ref())?;
        Ok(ListResourcesResult::with_all_items(resources::list()))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        is_first_page(request.as_ref())?;
        Ok(ListResourceTemplatesResult::with_all_items(resources::templates()))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let visit = self.inside().await?;
        Ok(sound(resources::read(&visit, request.uri)).await?.into())
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        is_first_page(request.as_ref())?;
        Ok(ListPromptsResult::with_all_items(prompts::list()))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let visit = self.inside().await?;
        Ok(sound(prompts::get(&visit, request)).await?.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let visit = self.inside().await?;
        sound(complete::complete(&visit, request)).await
    }
}

/// What was asked for, or that we made a mistake: whoever asks is answered in any case.
async fn sound<T>(work: impl Future<Output = Result<T, ErrorData>>) -> Result<T, ErrorData> {
    let done = caught(work).await;
    done.unwrap_or_else(|mistake| Err(ErrorData::internal_error(mistake.to_string(), None)))
}

fn mistaken(mistake: Mistake) -> Problem {
    Problem::new("mistake", mistake.to_string())
        .help("Look at what was done before it is asked for again; the person at this machine finds the log with `switchback doctor`")
}

/// Every list has one page, so that no cursor is ever given out.
fn is_first_page(request: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match request.and_then(|request| request.cursor.as_deref()) {
        None => Ok(()),
        Some(cursor) => {
            let cursor = said_value(&cursor.into());
            let why = format!("`cursor` {cursor} is of no list here: each has one page; leave `cursor` out");
            Err(ErrorData::invalid_params(why, None))
        }
    }
}

async fn call(
    visit: Arc<Visit>,
    settings: &Settings,
    request: CallToolRequestParams,
    context: RequestContext<RoleServer>,
) -> Answered {
    let tool = tools::find(&request.name, settings)?;
    if let Some(why) = settings.refuse().filter(|_| !tool.is_read_only()) {
        return Err(broken(settings, why));
    }
    let (request_state, input_responses) = (request.request_state, request.input_responses);
    let answered = match Arguments::of(tool, request.arguments.unwrap_or_default()) {
        Ok(arguments) => {
            let came = Instant::now();
            (tool.call)(&Call { visit, arguments, request_state, input_responses, context, came }).await
        }
        Err(problem) => Err(problem),
    };
    // Whoever calls a terminal looks at one word, whatever went wrong.
    answered
        .map_err(|problem| if tool.is_terminal() { problem.with("success", false.into()) } else { problem })
}

/// That the project folder is not there any more, if that is so: its definitions are gone with it.
fn no_folder(folder: &Path) -> Option<String> {
    (!folder.is_dir()).then(|| {
        format!(
            "The project folder {} is not there any more: it was moved or deleted, and its workflows and settings with it. \
             Connect again from where it is now.",
            folder.display()
        )
    })
}

/// What is to be said with an answer: of the settings, and of what was answered.
fn warnings(settings: &Settings, answered: &Answered) -> Vec<String> {
    let own = answered.as_ref().ok().and_then(|answer| answer.value["warnings"].as_array());
    let own = own.into_iter().flatten().filter_map(|one| one.as_str()).map(str::to_owned);
    settings.troubles().into_iter().chain(own).collect()
}

fn broken(settings: &Settings, why: String) -> Problem {
    Problem::new("broken-settings", why)
        .with("troubles", settings.broken.iter().map(ToString::to_string).collect())
        .help("Mend the file and call again; until then only tools that change nothing work")
}
