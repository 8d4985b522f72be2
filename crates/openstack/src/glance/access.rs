//! Whether an image may be used for a caller (Ironic's `is_image_available`).

use super::image::{Image, Visibility};

/// The options that decide about images of others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessRules {
    /// `[DEFAULT]allow_image_access_via_auth_token`.
    pub allow_via_auth_token: bool,
    /// `[DEFAULT]ignore_project_check_for_admin_tasks`.
    pub ignore_project_for_admins: bool,
}

/// Who wants to use the image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageUser {
    /// Glance saw a token of the user when it showed the image.
    pub has_token: bool,
    pub is_admin: bool,
}

/// The verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageAccess {
    Allowed,
    /// To be reported as "not found".
    Denied,
    /// It depends on whether our project is among the members of the image.
    AskMembers,
}

/// Judges an image. `own_project` is that of `[glance]`.
pub fn judge(
    image: &Image,
    rules: AccessRules,
    user: ImageUser,
    own_project: Option<&str>,
) -> ImageAccess {
    let is_ours = own_project.is_some() && image.owner.as_deref() == own_project;
    let is_open = matches!(
        image.visibility,
        Some(Visibility::Public | Visibility::Community)
    );
    if (rules.allow_via_auth_token && user.has_token)
        || is_open
        || (user.is_admin && rules.ignore_project_for_admins)
    {
        return ImageAccess::Allowed;
    }
    match image.visibility {
        Some(Visibility::Private) if is_ours => ImageAccess::Allowed,
        Some(Visibility::Shared) if own_project.is_some() => ImageAccess::AskMembers,
        _ => ImageAccess::Denied,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn image(visibility: &str, owner: &str) -> Image {
        let document = json!({
            "id": "i", "status": "active", "visibility": visibility, "owner": owner,
        });
        Image::read(document.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn images_of_others_need_a_reason() {
        let strict = AccessRules {
            allow_via_auth_token: false,
            ignore_project_for_admins: false,
        };
        let admin = ImageUser {
            has_token: true,
            is_admin: true,
        };
        for (visibility, owner, expected) in [
            ("public", "other", ImageAccess::Allowed),
            ("community", "other", ImageAccess::Allowed),
            ("private", "own", ImageAccess::Allowed),
            ("private", "other", ImageAccess::Denied),
            ("shared", "other", ImageAccess::AskMembers),
            ("secret", "own", ImageAccess::Denied),
        ] {
            let image = image(visibility, owner);
            let verdict = judge(&image, strict, admin, Some("own"));
            assert_eq!(verdict, expected, "{visibility} of {owner}");
        }
        let private = image("private", "other");
        let by_token = AccessRules {
            allow_via_auth_token: true,
            ..strict
        };
        let by_role = AccessRules {
            ignore_project_for_admins: true,
            ..strict
        };
        let user = |has_token, is_admin| ImageUser {
            has_token,
            is_admin,
        };
        let allowed = |rules, user| judge(&private, rules, user, Some("own"));
        assert_eq!(allowed(by_token, user(true, false)), ImageAccess::Allowed);
        assert_eq!(allowed(by_token, user(false, false)), ImageAccess::Denied);
        assert_eq!(allowed(by_role, user(false, true)), ImageAccess::Allowed);
        assert_eq!(allowed(by_role, user(true, false)), ImageAccess::Denied);
        // Without a project, nothing is ours.
        let ownerless = judge(&image("shared", "x"), strict, admin, None);
        assert_eq!(ownerless, ImageAccess::Denied);
    }
}
