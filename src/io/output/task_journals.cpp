// SPDX-License-Identifier: Apache-2.0
#include "io/output/task_journals.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

namespace tenstride::io {

std::vector<std::string> TaskJournals::names() const {
  std::vector<std::string> found;
  const int folder = openat(target_.folder(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return found;
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(fdopendir(folder), &closedir);
  if (!entries) {
    close(folder);
    return found;
  }
  const std::string prefix = common_ + '.';
  while (const dirent* const entry = readdir(entries.get())) {
    std::string name = static_cast<const char*>(entry->d_name);
    if (!name.starts_with(prefix) || name.size() == prefix.size()) continue;
    const std::string_view number = std::string_view(name).substr(prefix.size());
    if (number.find_first_not_of("0123456789") == std::string_view::npos) found.push_back(std::move(name));
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::optional<Descriptor> TaskJournals::lock(std::uint64_t task) const {
  const std::string name = name_of(task);
  Descriptor file(openat(target_.folder(), name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
  if (!file.is_open()) target_.refuse("must lie in a folder that can be written to", system_reason(errno));
  while (flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return std::nullopt;
    if (errno != EINTR)
      target_.refuse("must lie in a folder whose files can be locked", system_reason(errno));
  }
  return file;
}

std::optional<std::string> TaskJournals::find_locked() const {
  for (const std::string& name : names()) {
    const Descriptor file(openat(target_.folder(), name.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (file.is_open() && flock(file.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return name;
  }
  return std::nullopt;
}

void TaskJournals::add_to(JournalRecords& records, const JournalHeader& header) const {
  for (const std::string& name : names()) {
    const Descriptor file(openat(target_.folder(), name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW));
    if (!file.is_open()) continue;
    Journal journal(file.get(), read_boot_id(), [&](int error) {
      target_.refuse("must have journals that can be read, \"", target_.beside(name), "\"",
                     system_reason(error));
    });
    if (journal.read_header() == header) records.add(journal.peek_records(records.finished.size()));
  }
}

void TaskJournals::remove_all() const noexcept {
  try {
    for (const std::string& name : names()) unlinkat(target_.folder(), name.c_str(), 0);
  } catch (...) {
    // They stay, and the next run removes them.
  }
}

}  // namespace tenstride::io
