//! Glance: images, who may use them, and their contents.

pub mod access;
mod download;
pub mod image;

pub use download::Download;
pub use image::{Image, ImageReference};

use crate::{Caller, Deadline, Error, call::Call, session::Session};
use reqwest::Method;
use serde::Deserialize;
use std::sync::Arc;

/// A client of Glance.
#[derive(Debug, Clone)]
pub struct Glance {
    pub(crate) session: Arc<Session>,
}

#[derive(Deserialize)]
struct Members {
    #[serde(default)]
    members: Vec<Member>,
}

#[derive(Deserialize)]
struct Member {
    member_id: String,
}

impl Glance {
    pub(crate) fn new(session: Arc<Session>) -> Self {
        Self { session }
    }

    /// An image by its UUID.
    pub async fn image(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Image, Error> {
        let call = Call::about(Method::GET, "images", id, "", format!("show image {id}"));
        let answer = self.session.send(call, caller, deadline).await?;
        answer.json().await
    }

    /// The projects that a shared image is shared with, whether they have accepted it or not.
    pub async fn members(
        &self,
        id: &str,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Vec<String>, Error> {
        let action = format!("list the members of image {id}");
        let call = Call::about(Method::GET, "images", id, "/members", action);
        let answer = self.session.send(call, caller, deadline).await?;
        let Members { members } = answer.json().await?;
        Ok(members.into_iter().map(|member| member.member_id).collect())
    }

    /// The contents of an image, compared with its size and checksum as they arrive.
    pub async fn download(
        &self,
        image: &Image,
        caller: &Caller,
        deadline: Deadline,
    ) -> Result<Download, Error> {
        Download::open(Arc::clone(&self.session), image, caller.clone(), deadline).await
    }

    /// The project of `[glance]`, which private images must belong to.
    pub async fn project_id(&self, deadline: Deadline) -> Result<Option<String>, Error> {
        self.session.project_id(deadline).await
    }
}
