//! Finds the program that a session runs, in the session's own environment and folder.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, access};

use crate::error::OpenError;
use crate::spec::Spec;

/// Where programs are looked for when the environment does not say.
const PATH_DEFAULT: &str = "/usr/local/bin:/usr/bin:/bin";

/// Gives the path of the program, and says what is wrong with the rest that a process is given.
pub(crate) fn find(spec: &Spec) -> Result<PathBuf, OpenError> {
    check_folder(&spec.folder)?;
    check_texts(spec)?;
    let path =
        spec.path.as_ref().or_else(|| spec.environment.get("PATH")).map_or(PATH_DEFAULT, String::as_str);
    let (found, searched) = if spec.program.contains('/') {
        (
            Some(spec.folder.join(&spec.program)).filter(|file| is_program(file)),
            spec.folder.display().to_string(),
        )
    } else {
        // Where the session must not say which program it is, its folder does not either.
        let places = path.split(':').filter(|place| spec.path.is_none() || place.starts_with('/'));
        let files = places.map(|place| spec.folder.join(place).join(&spec.program));
        let found =
            if spec.program.is_empty() { None } else { files.into_iter().find(|file| is_program(file)) };
        (found, format!("PATH ({path})"))
    };
    found.ok_or_else(|| OpenError::Program { program: spec.program.clone(), searched })
}

fn is_program(file: &Path) -> bool {
    file.is_file() && access(file, Access::EXEC_OK).is_ok()
}

fn check_folder(folder: &Path) -> Result<(), OpenError> {
    let wrong = |source| OpenError::Folder { folder: folder.to_owned(), source };
    match std::fs::metadata(folder) {
        Ok(there) if there.is_dir() => Ok(()),
        Ok(_) => Err(wrong(std::io::ErrorKind::NotADirectory.into())),
        Err(source) => Err(wrong(source)),
    }
}

fn check_texts(spec: &Spec) -> Result<(), OpenError> {
    let fits = |text: &str| !text.contains('\0');
    let unfit = |what: String| Err(OpenError::Unfit { what });
    if !fits(&spec.program) {
        return unfit("the program's name".to_owned());
    }
    if let Some(place) = spec.args.iter().position(|argument| !fits(argument)) {
        return unfit(format!("argument {}", place + 1));
    }
    for (name, value) in &spec.environment {
        if name.is_empty() || name.contains('=') || !fits(name) || !fits(value) {
            return unfit(format!("the variable `{}`", name.replace('\0', "\\0")));
        }
    }
    Ok(())
}
