//! What is read of a page's resources, and what that asks for: documents, style sheets, module scripts.

use std::rc::Rc;

use http::Method;
use pronghorn_page::{
    DecodeError, Decoder, Document, Found, Kind, MOST_URL_BYTES, Reference, Role, Sheet,
    may_request,
};
use tokio::time::Instant;
use url::Url;

use crate::budget::{self, DEEPEST_FRAME, DEEPEST_IMPORT, MOST_FRAMES, MOST_READ};
use crate::host::OwnHost;
use crate::navigation::{Asked, Navigation};
use crate::record::{Reason, Why};
use crate::scripts::Script;
use crate::transport::{Failure, Head};

/// A document of the page.
pub(crate) struct Frame {
    document: Document,
    /// The resource that it came as, or that holds it.
    resource: usize,
    /// Frames around it.
    depth: usize,
    /// Style sheets that its rendering waits for.
    blocking: usize,
    ended: bool,
    styled: bool,
}

/// What becomes of a resource's body.
pub(crate) struct Content {
    role: Role,
    /// The document that asked for it.
    frame: Option<usize>,
    /// Of a style sheet: the documents that it is applied to.
    users: Vec<usize>,
    /// Of an imported style sheet: the imports that led to it.
    imports: usize,
    body: Body,
    content_type: String,
    /// Whether a browser would run it.
    runs: bool,
    /// Of a module script: whether it may make requests.
    requesting: bool,
}

/// A body, as far as it is read.
enum Body {
    /// It is counted.
    Counted,
    /// It is the document of this frame.
    Document(Decoder, usize),
    /// It is held until it is whole.
    Held(Decoder, Vec<u8>),
    /// A style sheet that was read.
    Sheet(Rc<Sheet>),
    /// What a module script imports once it is to run.
    Module(Vec<Reference>),
    /// It is a classic script.
    Script(Script),
}

impl Content {
    pub(crate) fn new(role: Role, frame: Option<usize>) -> Content {
        Content {
            role,
            frame,
            users: Vec::new(),
            imports: 0,
            body: Body::Counted,
            content_type: String::new(),
            runs: false,
            requesting: false,
        }
    }

    /// What it is to be, for the resource that takes its place.
    pub(crate) fn hand_on(&mut self) -> Content {
        Content {
            users: std::mem::take(&mut self.users),
            imports: self.imports,
            runs: self.runs,
            ..Content::new(std::mem::replace(&mut self.role, Role::Plain), self.frame)
        }
    }

    /// Heeds that it is asked for in this role.
    pub(crate) fn asked_as(&mut self, role: Role, kind: Kind) {
        let run = matches!(role, Role::Plain | Role::Module { run: true });
        self.runs |= run && kind == Kind::Script;
    }

    /// Whether it is a script that a browser would run and that may make requests; `budget`: bytes that may be decoded.
    pub(crate) fn requesting(&self, budget: &mut usize) -> bool {
        let may = match &self.body {
            Body::Script(script) => script.may_request(budget),
            _ => self.requesting,
        };
        self.runs && may
    }
}

impl Frame {
    /// How many scripts in the document may make requests, and the resource that it came as.
    pub(crate) fn requesting_scripts(&self) -> (usize, usize) {
        (self.resource, self.document.requesting_scripts())
    }
}

impl Navigation<'_> {
    /// Heeds what a response says of its content and of where else to look.
    pub(crate) fn head(&mut self, index: usize, head: &Head, at: Instant) {
        if (300..400).contains(&head.status) {
            return self.redirect(index, head, at);
        }
        let codings = head.header("content-encoding");
        let resource = &mut self.resources[index];
        resource.record.content_coding = (!codings.is_empty()).then_some(codings.clone());
        let kind = resource.record.kind;
        let content_type = head.header("content-type");
        let read = match resource.content.role {
            Role::Frame => is_document(&content_type),
            Role::Sheet { .. } | Role::Module { .. } => true,
            _ => kind == Kind::Style,
        };
        if !(200..300).contains(&head.status) {
            return;
        }
        if !read {
            if kind == Kind::Script {
                resource.content.body = Body::Script(Script::new(codings));
            }
            return;
        }
        let decoder = match Decoder::new(&codings, MOST_READ) {
            Ok(decoder) => decoder,
            Err(error) => return self.undecodable(index, &error, at),
        };
        let content = &mut resource.content;
        content.content_type.clone_from(&content_type);
        if content.role != Role::Frame {
            content.body = Body::Held(decoder, Vec::new());
            return;
        }
        let frame = self.frames.len();
        content.body = Body::Document(decoder, frame);
        let url = resource.url.clone();
        let around = content.frame.map(|around| &self.frames[around]);
        let depth = around.map_or(0, |around| around.depth + 1);
        let mut document = match around {
            Some(around) => around.document.frame(url, &content_type),
            None => Document::new(url, &content_type),
        };
        let found = document.headers(
            &head.header("link"),
            &head.header("refresh"),
            &head.header("content-security-policy"),
        );
        self.frames.push(Frame {
            document,
            resource: index,
            depth,
            blocking: 0,
            ended: false,
            styled: false,
        });
        self.found(index, frame, found, at);
    }

    /// Reads a piece of a body.
    pub(crate) fn read(&mut self, index: usize, bytes: &[u8], at: Instant) {
        let content = match &mut self.resources[index].content.body {
            Body::Document(decoder, _) | Body::Held(decoder, _) => decoder.push(bytes),
            Body::Script(script) => return script.push(bytes, &mut self.budget),
            Body::Counted | Body::Sheet(_) | Body::Module(_) => return,
        };
        self.take(index, content, at);
    }

    /// Reads what the end of a body completes.
    pub(crate) fn read_rest(&mut self, index: usize, at: Instant) {
        let content = match &mut self.resources[index].content.body {
            Body::Document(decoder, _) | Body::Held(decoder, _) => decoder.end(),
            Body::Counted | Body::Sheet(_) | Body::Module(_) | Body::Script(_) => return,
        };
        self.take(index, content, at);
    }

    fn take(&mut self, index: usize, content: Result<Vec<u8>, DecodeError>, at: Instant) {
        let content = match content {
            Ok(content) => content,
            Err(error) => return self.undecodable(index, &error, at),
        };
        let resource = &mut self.resources[index];
        let kind = resource.record.kind;
        if !self.budget.take(kind, content.len()) {
            let detail = format!(
                "{}: the page's {} hold more than {MOST_READ} bytes decoded",
                resource.record.path,
                budget::name(kind)
            );
            return self.fail(index, Failure::new(Reason::TooLarge, detail), at);
        }
        match &mut resource.content.body {
            Body::Document(_, frame) => {
                let frame = *frame;
                let found = self.frames[frame].document.push(&content);
                self.found(index, frame, found, at);
            }
            Body::Held(_, held) => held.extend_from_slice(&content),
            Body::Counted | Body::Sheet(_) | Body::Module(_) | Body::Script(_) => {}
        }
    }

    fn undecodable(&mut self, index: usize, error: &DecodeError, at: Instant) {
        let reason = match error {
            DecodeError::TooLarge(_) => Reason::TooLarge,
            _ => Reason::Incomplete,
        };
        let path = &self.resources[index].record.path;
        let failure = Failure::new(reason, format!("{path}: {error}"));
        self.fail(index, failure, at);
    }

    /// Heeds that a body is whole.
    pub(crate) fn whole(&mut self, index: usize, at: Instant) {
        let content = &mut self.resources[index].content;
        match std::mem::replace(&mut content.body, Body::Counted) {
            Body::Document(_, frame) => {
                let found = self.frames[frame].document.end();
                self.found(index, frame, found, at);
                self.frames[frame].ended = true;
                self.style(frame, at);
            }
            Body::Held(_, held) => match content.role {
                Role::Module { run } => self.module(index, &held, run, at),
                _ => self.sheet(index, &held, at),
            },
            body @ Body::Script(_) => content.body = body,
            _ => self.settle(index, at),
        }
    }

    /// Heeds that a resource failed.
    pub(crate) fn give_up(&mut self, index: usize, at: Instant) {
        let body = std::mem::replace(&mut self.resources[index].content.body, Body::Counted);
        if let Body::Document(_, frame) = body {
            self.frames[frame].ended = true;
            self.style(frame, at);
        }
        self.settle(index, at);
    }

    fn sheet(&mut self, index: usize, held: &[u8], at: Instant) {
        let resource = &mut self.resources[index];
        let content = &mut resource.content;
        let Some(frame) = content.frame else {
            return;
        };
        let sheet = Rc::new(self.frames[frame].document.sheet(
            held,
            &content.content_type,
            &resource.url,
        ));
        content.body = Body::Sheet(sheet.clone());
        let users = content.users.clone();
        let role = content.role;
        self.count_urls(frame);
        match role {
            Role::Sheet { .. } if users.is_empty() => {
                self.discover(index, frame, sheet.imports(true), at);
            }
            Role::Sheet { .. } => {
                for user in users {
                    self.apply(index, user, &sheet, at);
                }
            }
            _ => {}
        }
        self.settle(index, at);
    }

    fn apply(&mut self, index: usize, user: usize, sheet: &Rc<Sheet>, at: Instant) {
        self.frames[user].document.apply(index, sheet.clone());
        self.discover(index, user, sheet.imports(false), at);
    }

    fn module(&mut self, index: usize, held: &[u8], run: bool, at: Instant) {
        let resource = &mut self.resources[index];
        let given = resource.content.content_type.to_ascii_lowercase();
        let script =
            given.is_empty() || given.contains("javascript") || given.contains("ecmascript");
        let Some(frame) = resource.content.frame.filter(|_| script) else {
            return;
        };
        let imports = self.frames[frame]
            .document
            .module_imports(held, &resource.url);
        self.resources[index].content.requesting = may_request(held);
        self.count_urls(frame);
        match run {
            true => self.discover(index, frame, imports, at),
            false => self.resources[index].content.body = Body::Module(imports),
        }
    }

    /// Those who waited for a style sheet wait no more.
    fn settle(&mut self, index: usize, at: Instant) {
        for user in self.resources[index].content.users.clone() {
            let blocking = &mut self.frames[user].blocking;
            *blocking = blocking.saturating_sub(1);
            self.style(user, at);
        }
    }

    /// Asks for what a document's style sheets make it need, once it and they are there: browsers know by layout.
    fn style(&mut self, frame: usize, at: Instant) {
        let styling = &mut self.frames[frame];
        if !styling.ended || styling.blocking > 0 || styling.styled {
            return;
        }
        styling.styled = true;
        let resource = styling.resource;
        for (from, reference) in styling.document.style() {
            self.discover(from.unwrap_or(resource), frame, vec![reference], at);
        }
    }

    /// Heeds what a document turned out to hold.
    fn found(&mut self, index: usize, frame: usize, found: Vec<Found>, at: Instant) {
        self.count_urls(frame);
        for one in found {
            match one {
                Found::Reference(reference) => self.discover(index, frame, vec![reference], at),
                Found::Inline { html, base } => self.inline(index, frame, &html, base, at),
            }
        }
    }

    /// Fails the load where a document names too much.
    fn count_urls(&mut self, frame: usize) {
        let frame = &self.frames[frame];
        if frame.document.too_many_urls() {
            let path = &self.resources[frame.resource].record.path;
            let detail =
                format!("{path}: the page's URLs up to here have more than {MOST_URL_BYTES} bytes");
            self.too_large(detail);
        }
    }

    fn inline(&mut self, index: usize, around: usize, html: &str, base: Url, at: Instant) {
        let depth = self.frames[around].depth + 1;
        if depth > DEEPEST_FRAME || self.frames.len() >= MOST_FRAMES {
            return;
        }
        let frame = self.frames.len();
        let mut document = self.frames[around].document.frame(base, "");
        let found = document.inline(html);
        self.frames.push(Frame {
            document,
            resource: index,
            depth,
            blocking: 0,
            ended: true,
            styled: false,
        });
        self.found(index, frame, found, at);
        self.style(frame, at);
    }

    /// Asks for what wasn't asked for before, as resource `from` and document `frame` refer to it.
    fn discover(&mut self, from: usize, frame: usize, references: Vec<Reference>, at: Instant) {
        for reference in references {
            let cut = reference.is_cut();
            let Reference {
                mut url,
                kind,
                role,
                ..
            } = reference;
            if !matches!(url.scheme(), "http" | "https") {
                continue;
            }
            let asks = match role {
                Role::Blocked => Role::Blocked,
                _ if cut => Role::Unsupported,
                role => role,
            };
            if cut {
                url.set_fragment(None);
            }
            if let Some((url, why)) = self.leaves_out(&url, kind, asks, frame) {
                self.left_out.add(&url, why, kind);
                continue;
            }
            let Some(url) = self.own.own(&url) else {
                continue;
            };
            if let Some(known) = self.known.get(&url) {
                let known = *known;
                self.resources[known].content.asked_as(role, kind);
                self.again(known, frame, role, at);
                continue;
            }
            let mut content = Content::new(role, Some(frame));
            content.asked_as(role, kind);
            let parent = &self.resources[from];
            if let Role::Sheet { applied } = role {
                if matches!(parent.content.role, Role::Sheet { .. }) {
                    content.imports = parent.content.imports + 1;
                }
                if content.imports > DEEPEST_IMPORT {
                    let path = OwnHost::path(&url);
                    let detail =
                        format!("{path}: more than {DEEPEST_IMPORT} imports in a row led to it");
                    self.too_large(detail);
                    continue;
                }
                if applied {
                    content.users.push(frame);
                    self.frames[frame].blocking += 1;
                }
            }
            let asked = Asked {
                url,
                kind,
                place: reference.place,
                initiator: Some(from),
                depth: parent.depth + 1,
                hops: 0,
                content,
            };
            self.request(asked, Method::GET, at);
        }
    }

    /// The URL under which a reference is left out, and why; none where it is followed.
    fn leaves_out(&self, url: &Url, kind: Kind, role: Role, frame: usize) -> Option<(Url, Why)> {
        let own = self.own.own(url);
        let deep = || {
            let within = self.frames[frame].depth + 1;
            within > DEEPEST_FRAME || self.frames.len() >= MOST_FRAMES
        };
        match (own, role) {
            // It is the page that the user is sent to.
            (own, Role::Unsupported) if kind == Kind::Document => {
                Some((own.unwrap_or(url.clone()), Why::Unsupported))
            }
            (own, Role::Blocked) => Some((own.unwrap_or(url.clone()), Why::Blocked)),
            (None, _) => Some((url.clone(), Why::OtherHost)),
            (Some(own), Role::Unsupported) => Some((own, Why::Unsupported)),
            (Some(own), Role::Frame) if !self.known.contains_key(&own) && deep() => {
                Some((own, Why::Unsupported))
            }
            _ => None,
        }
    }

    /// Heeds that something that was asked for is needed once more, maybe for more than before.
    fn again(&mut self, index: usize, frame: usize, role: Role, at: Instant) {
        let resource = &mut self.resources[index];
        let content = &mut resource.content;
        match (role, content.role) {
            (Role::Sheet { applied }, Role::Sheet { .. } | Role::Plain)
                if resource.record.kind == Kind::Style =>
            {
                content.role = Role::Sheet { applied };
                if !applied || content.users.contains(&frame) {
                    return;
                }
                content.users.push(frame);
                match &content.body {
                    Body::Sheet(sheet) => {
                        let sheet = sheet.clone();
                        self.apply(index, frame, &sheet, at);
                    }
                    _ if resource.ended => {}
                    _ => self.frames[frame].blocking += 1,
                }
            }
            (Role::Module { run: true }, Role::Module { run: false }) => {
                content.role = role;
                if let Body::Module(imports) = &mut content.body {
                    let imports = std::mem::take(imports);
                    self.discover(index, frame, imports, at);
                }
            }
            _ => {}
        }
    }
}

/// Whether a body of this media type refers to anything: HTML, or SVG; browsers look at what nobody describes.
fn is_document(content_type: &str) -> bool {
    let essence = content_type.split([';', ',']).next().unwrap_or("").trim();
    essence.is_empty()
        || essence.eq_ignore_ascii_case("text/html")
        || essence.eq_ignore_ascii_case("application/xhtml+xml")
        || essence.eq_ignore_ascii_case("image/svg+xml")
}
