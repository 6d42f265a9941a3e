//! Which configuration files belong to a project. Who can write in a project can change them: a
//! commit of somebody else, or an agent that may write nowhere else.

use crate::config::discover::{PROJECT_FILES, USER_FILES};
use pd_runtime::upstream::text::user_directory::home;
use std::{
    env, fs,
    path::{Path, PathBuf},
};

/// The directories of this process, without links.
struct Places {
    home: Option<PathBuf>,
    /// The current directory, unless it is the home directory or above.
    project: Option<PathBuf>,
}

impl Places {
    fn new() -> Self {
        let home = home()
            .filter(|home| home.is_absolute())
            .map(|home| resolve(&home));
        let project = env::current_dir().ok().map(|directory| resolve(&directory));
        // Every file of the user is below the home directory, so it is not a project.
        let project = project.filter(|directory| {
            home.as_ref()
                .is_none_or(|home| !home.starts_with(directory))
        });
        Self { project, home }
    }

    /// Returns whether a client of the user keeps its own file there.
    fn is_of_user(&self, path: &Path) -> bool {
        self.home
            .as_ref()
            .is_some_and(|home| USER_FILES.iter().any(|(_, file)| home.join(file) == path))
    }

    /// Returns whether a file that was found without being named belongs to a project.
    fn is_found_in_project(&self, path: &Path) -> bool {
        // A link in the user's directory can lead into the project.
        !self.is_of_user(&with_resolved_directory(path)) || self.is_in_project(&resolve(path))
    }

    fn is_in_project(&self, real: &Path) -> bool {
        self.project
            .as_ref()
            .is_some_and(|project| real.starts_with(project))
            && !self.is_of_user(real)
    }

    /// Returns whether a file that was named belongs to a project. It does if it is in the current
    /// directory, has the name of a project's file, or is in a repository below the home directory.
    fn is_named_of_project(&self, path: &Path, own: Option<&Path>) -> bool {
        let place = with_resolved_directory(path);
        let real = resolve(path);
        let is_own = own.is_some_and(|own| with_resolved_directory(own) == place);
        // A file of the user belongs to a project only as a link into it, because then an agent in
        // the project can write it.
        if is_own || self.is_of_user(&place) {
            return self.is_in_project(&real) && place != real;
        }
        // Both paths, because a link from elsewhere has the content of the project's file.
        [&place, &real].into_iter().any(|path| {
            self.is_in_project(path) || has_project_name(path) || self.is_in_repository(path)
        })
    }

    fn is_in_repository(&self, path: &Path) -> bool {
        let Some(home) = &self.home else { return false };
        // A repository of the whole home directory, as of dotfiles, is not a project.
        let below_home = path
            .ancestors()
            .skip(1)
            .take_while(|directory| *directory != home);
        path.starts_with(home)
            && below_home
                .into_iter()
                .any(|directory| directory.join(".git").exists())
    }
}

fn has_project_name(path: &Path) -> bool {
    PROJECT_FILES.iter().any(|(_, file)| path.ends_with(file))
}

/// Returns whether a file that was found without being named belongs to a project.
pub(crate) fn is_found_in_project(path: &Path) -> bool {
    Places::new().is_found_in_project(path)
}

/// Returns whether a file that was named belongs to a project. `own` is the gateway's own file.
pub(crate) fn is_named_of_project(path: &Path, own: Option<&Path>) -> bool {
    Places::new().is_named_of_project(path, own)
}

/// Resolves links.
pub(super) fn resolve(path: &Path) -> PathBuf {
    fs::canonicalize(path)
        .or_else(|_| std::path::absolute(path))
        .unwrap_or_else(|_| path.to_owned())
}

/// Resolves the links of a file's directory, and not the file itself.
fn with_resolved_directory(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    match (path.parent(), path.file_name()) {
        (Some(directory), Some(name)) => resolve(directory).join(name),
        _ => path,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let path = env::temp_dir().join(format!("pd-project-file-{name}-{}", std::process::id()));
        for directory in [
            "home/.cursor",
            "home/.config/pd-gateway",
            "home/app/.git",
            "home/plain",
            "home/app/sub",
        ] {
            fs::create_dir_all(path.join(directory)).unwrap();
        }
        resolve(&path)
    }

    #[cfg(unix)]
    #[test]
    fn files_of_projects_are_those_of_the_directory_of_projects_and_links_to_them() {
        let root = folder("all");
        let home = root.join("home");
        for file in [
            "app/.mcp.json",
            "app/servers.json",
            "plain/servers.json",
            ".cursor/mcp.json",
            ".mcp.json",
        ] {
            fs::write(home.join(file), "{}").unwrap();
        }
        let own = home.join(".config/pd-gateway/servers.json");
        fs::write(&own, "{}").unwrap();
        std::os::unix::fs::symlink(home.join("app/.mcp.json"), home.join("plain/link.json"))
            .unwrap();
        let in_project = Places {
            home: Some(home.clone()),
            project: Some(home.join("plain")),
        };
        let elsewhere = Places {
            home: Some(home.clone()),
            project: None,
        };
        for (file, is_in_project, is_elsewhere) in [
            ("app/.mcp.json", true, true),
            ("app/servers.json", true, true),
            ("plain/servers.json", true, false),
            ("plain/link.json", true, true),
            (".cursor/mcp.json", false, false),
            (".config/pd-gateway/servers.json", false, false),
        ] {
            let path = home.join(file);
            assert_eq!(
                in_project.is_named_of_project(&path, Some(&own)),
                is_in_project,
                "{file}"
            );
            assert_eq!(
                elsewhere.is_named_of_project(&path, Some(&own)),
                is_elsewhere,
                "{file}"
            );
        }
        assert!(!elsewhere.is_found_in_project(&home.join(".cursor/mcp.json")));
        assert!(
            elsewhere.is_found_in_project(&home.join(".mcp.json")),
            "the file of a project in the home directory"
        );
        // A link of the user that leads into the project is as the project's file.
        fs::remove_file(home.join(".cursor/mcp.json")).unwrap();
        std::os::unix::fs::symlink(
            home.join("plain/servers.json"),
            home.join(".cursor/mcp.json"),
        )
        .unwrap();
        assert!(in_project.is_found_in_project(&home.join(".cursor/mcp.json")));
        assert!(in_project.is_named_of_project(&home.join(".cursor/mcp.json"), Some(&own)));
        assert!(
            Places {
                home: None,
                project: None
            }
            .is_found_in_project(&home.join(".cursor/mcp.json"))
        );
        fs::remove_dir_all(root).unwrap();
    }
}
