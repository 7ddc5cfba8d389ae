//! The SDK's view of the server: one method for each protocol method that the contract offers.
//!
//! Owns the translation between protocol types and the contract. What the SDK cannot express on its own is left to
//! [`crate::transport`]. One invariant: no answer depends on an earlier one, except through the stored issues.

use std::borrow::Cow;
use std::sync::Arc;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, DiscoverResult, ErrorCode, ErrorData, GetPromptRequestParams,
    GetPromptResponse, Implementation, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, MetaObject, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, ResourceContents,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde_json::json;

use crate::call::Tools;
use crate::complete;
use crate::contract::surface::{CATALOG_HINT, DATA_HINT, Surface};
use crate::contract::{NAME, NAMESPACE, TITLE, VERSION, resources, tools};
use crate::domain::{Code, Failure};
use crate::envelope::Envelopes;
use crate::malformed::{is_offered, malformed};
use crate::read;
use crate::store::Store;

/// Revisions in the SDK's terms; the same as [`crate::contract::REVISIONS`].
const SUPPORTED: &[ProtocolVersion] =
    &[ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28];

/// The server of the `github-issues` contract. Cheap to clone: clones share everything.
#[derive(Debug, Clone)]
pub struct Handler {
    surface: Arc<Surface>,
    tools: Arc<Tools>,
    store: Arc<Store>,
    envelopes: Arc<Envelopes>,
}

impl Handler {
    /// A server over `store`; `seed` sets the request ids apart from those of other runs.
    pub fn new(store: Arc<Store>, seed: String) -> Self {
        let surface = Surface::new();
        let envelopes = Arc::new(Envelopes::new(surface.fingerprint.clone(), seed));
        let tools = Arc::new(Tools::new(&surface, store.clone()));
        Self { surface: Arc::new(surface), tools, store, envelopes }
    }

    /// The fingerprint, where discovery carries it (rule `2.fingerprint-in-discovery`).
    fn meta(&self) -> MetaObject {
        let mut meta = MetaObject::new();
        meta.insert(format!("{NAMESPACE}/fingerprint"), self.surface.fingerprint.clone().into());
        meta
    }

    /// Every list is one page, so no cursor was ever issued and any that comes is refused.
    fn refuse_cursor(&self, request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
        match request.and_then(|request| request.cursor) {
            None => Ok(()),
            Some(_) => {
                let mut failure = Failure::new(
                    Code::InvalidField,
                    "Invalid cursor: this list has a single page.",
                );
                failure.field = Some("cursor".to_owned());
                failure.reason =
                    Some("No cursor of this list was ever issued; leave it out.".to_owned());
                Err(self.envelopes.rpc_error(&failure, None))
            }
        }
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_prompts()
            .enable_completions()
            .build();
        let mut info = ServerConfig::new(capabilities)
            .with_server_info(Implementation::new(NAME, VERSION).with_title(TITLE))
            .with_instructions(self.surface.instructions.clone());
        info.meta = Some(self.meta());
        info
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(SUPPORTED)
    }

    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.store.open_soon();
        Ok(DiscoverResult::from_server_info(SUPPORTED.to_vec(), self.get_info())
            .with_ttl_ms(CATALOG_HINT.ttl_ms)
            .with_cache_scope(CATALOG_HINT.scope))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        self.refuse_cursor(request)?;
        let mut result = ListToolsResult::with_all_items(self.surface.tools.clone())
            .with_ttl_ms(CATALOG_HINT.ttl_ms)
            .with_cache_scope(CATALOG_HINT.scope);
        result.meta = Some(self.meta());
        Ok(result)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.surface.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let result = match self.tools.call(&request.name, request.arguments.unwrap_or_default()) {
            Some(Ok(content)) => CallToolResult::structured(content),
            Some(Err(failure)) => self.envelopes.tool_result(&failure),
            None => {
                let data = json!({"reason": "unknown tool", "tools": tools::NAMES});
                return Err(ErrorData::invalid_params(
                    "Unknown tool; tools/list names those that exist",
                    Some(data),
                ));
            }
        };
        Ok(result.into())
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.refuse_cursor(request)?;
        Ok(ListResourcesResult::with_all_items(self.surface.resources.clone())
            .with_ttl_ms(DATA_HINT.ttl_ms)
            .with_cache_scope(DATA_HINT.scope))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.refuse_cursor(request)?;
        Ok(ListResourceTemplatesResult::with_all_items(self.surface.templates.clone())
            .with_ttl_ms(CATALOG_HINT.ttl_ms)
            .with_cache_scope(CATALOG_HINT.scope))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let text = read::read(&self.surface, &self.store, &request.uri)
            .map_err(|failure| self.envelopes.rpc_error(&failure, Some(&request.uri)))?;
        let contents =
            ResourceContents::text(text, request.uri).with_mime_type(resources::MIME_TYPE);
        Ok(ReadResourceResult::new(vec![contents])
            .with_ttl_ms(DATA_HINT.ttl_ms)
            .with_cache_scope(DATA_HINT.scope)
            .into())
    }

    /// There are none: no workflow here takes more than two calls.
    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        self.refuse_cursor(request)?;
        Ok(ListPromptsResult::with_all_items(Vec::new())
            .with_ttl_ms(CATALOG_HINT.ttl_ms)
            .with_cache_scope(CATALOG_HINT.scope))
    }

    async fn get_prompt(
        &self,
        _: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let mut failure = Failure::new(Code::InvalidField, "Unknown prompt.");
        failure.field = Some("name".to_owned());
        failure.reason = Some("This server has no prompts.".to_owned());
        Err(self.envelopes.rpc_error(&failure, None))
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let completion = complete::complete(&self.store, &request)
            .map_err(|failure| self.envelopes.rpc_error(&failure, None))?;
        Ok(CompleteResult::new(completion))
    }

    /// The SDK hands over as custom what it cannot read: an unknown method, or a known one with malformed params.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let handshake = context.protocol_version().is_none_or(|version| version.has_initialize());
        if !is_offered(&request.method, handshake) {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let uri = request
            .params
            .as_ref()
            .and_then(|params| params.get("uri"))
            .and_then(|uri| uri.as_str());
        Err(self.envelopes.rpc_error(&malformed(&request.method, request.params.as_ref()), uri))
    }
}
