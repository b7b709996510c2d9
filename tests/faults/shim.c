/* What a program does to files, seen and disturbed from below: preloaded before the C library (LD_PRELOAD).
 *
 * Counts the calls that change files below the folder FAULTS_UNDER. FAULTS_LOG names a file to which each is written, with
 * its data, as the power-loss tests need it. FAULTS_AT is the number of a call, from 1, at which FAULTS_DO happens: "kill"
 * ends the process as kill -9 does; a number is the error (errno) with which this call fails, and with FAULTS_ON also
 * every later one. Of many threads one at a time is counted. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count;
static int journal = -2;

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

static const char *under(void) {
  const char *folder = getenv("FAULTS_UNDER");
  return folder ? folder : "/nonexistent";
}

static int is_under(const char *path) {
  const char *folder = under();
  size_t length = strlen(folder);
  return path && !strncmp(path, folder, length) && (path[length] == '/' || !path[length]);
}

static void absolute(int folder, const char *path, char *out) {
  char base[PATH_MAX] = "", link[64];
  if (path[0] != '/') {
    if (folder == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) base[0] = 0;
    } else {
      snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
      ssize_t length = readlink(link, base, sizeof base - 1);
      base[length < 0 ? 0 : length] = 0;
    }
    strncat(base, "/", sizeof base - strlen(base) - 1);
  }
  snprintf(out, PATH_MAX, "%.2000s%.2000s", base, path);
}

static int of_descriptor(int descriptor, char *out) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
  ssize_t length = readlink(link, out, PATH_MAX - 1);
  out[length < 0 ? 0 : length] = 0;
  return is_under(out);
}

/* Counts a call that is about to be made; whether it is to fail, and errno is set. */
static int disturbed(void) {
  const char *at = getenv("FAULTS_AT"), *what = getenv("FAULTS_DO");
  long number = ++count;
  if (!at || !what) return 0;
  long place = atol(at);
  if (number != place && !(getenv("FAULTS_ON") && number > place)) return 0;
  if (!strcmp(what, "kill")) {
    kill(getpid(), SIGKILL);
    for (;;) pause();
  }
  errno = atoi(what);
  return 1;
}

/* What happened: the kind, two paths and data, each with its length. */
static void note(char kind, const char *path, const char *other, const void *data, size_t length) {
  if (journal == -2) {
    const char *name = getenv("FAULTS_LOG");
    journal = name ? REAL(open)(name, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
  }
  if (journal < 0) return;
  uint32_t sizes[3] = {(uint32_t)strlen(path), (uint32_t)(other ? strlen(other) : 0), (uint32_t)length};
  struct iovec parts[] = {{&kind, 1}, {sizes, sizeof sizes}, {(void *)path, sizes[0]}, {(void *)other, sizes[1]}, {(void *)data, length}};
  REAL(writev)(journal, parts, 5);
}

#define CHANGES(is_ours, call, noted)     \
  do {                                    \
    if (!(is_ours)) return call;          \
    pthread_mutex_lock(&lock);            \
    if (disturbed()) {                    \
      pthread_mutex_unlock(&lock);        \
      return -1;                          \
    }                                     \
    __typeof__(call) result = call;       \
    if (result >= 0) { noted; }           \
    int error = errno;                    \
    pthread_mutex_unlock(&lock);          \
    errno = error;                        \
    return result;                        \
  } while (0)

static int opened(int folder, const char *path, int flags, mode_t mode) {
  char full[PATH_MAX];
  absolute(folder, path, full);
  CHANGES(is_under(full) && flags & O_CREAT, REAL(openat)(folder, path, flags, mode), note(flags & O_TRUNC ? 'T' : 'C', full, 0, 0, 0));
}

#define MODE(flags)                                                 \
  mode_t mode = 0;                                                  \
  if ((flags) & O_CREAT) {                                          \
    va_list rest;                                                   \
    va_start(rest, flags);                                          \
    mode = va_arg(rest, mode_t);                                    \
    va_end(rest);                                                   \
  }

int open(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int open64(const char *path, int flags, ...) { MODE(flags) return opened(AT_FDCWD, path, flags, mode); }
int openat(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }
int openat64(int folder, const char *path, int flags, ...) { MODE(flags) return opened(folder, path, flags, mode); }

ssize_t write(int descriptor, const void *data, size_t length) {
  char path[PATH_MAX];
  CHANGES(of_descriptor(descriptor, path), REAL(write)(descriptor, data, length), note('W', path, 0, data, (size_t)result));
}

ssize_t writev(int descriptor, const struct iovec *parts, int number) {
  char path[PATH_MAX];
  /* One part at a time is a short write, which every caller must take. */
  if (number > 0 && of_descriptor(descriptor, path)) return write(descriptor, parts[0].iov_base, parts[0].iov_len);
  return REAL(writev)(descriptor, parts, number);
}

int rename(const char *from, const char *to) {
  char old[PATH_MAX], new[PATH_MAX];
  absolute(AT_FDCWD, from, old);
  absolute(AT_FDCWD, to, new);
  CHANGES(is_under(new), REAL(rename)(from, to), note('R', old, new, 0, 0));
}

int mkdir(const char *path, mode_t mode) {
  char full[PATH_MAX];
  absolute(AT_FDCWD, path, full);
  CHANGES(is_under(full), REAL(mkdir)(path, mode), note('M', full, 0, 0, 0));
}

int unlink(const char *path) {
  char full[PATH_MAX];
  absolute(AT_FDCWD, path, full);
  CHANGES(is_under(full), REAL(unlink)(path), note('U', full, 0, 0, 0));
}

int rmdir(const char *path) {
  char full[PATH_MAX];
  absolute(AT_FDCWD, path, full);
  CHANGES(is_under(full), REAL(rmdir)(path), note('U', full, 0, 0, 0));
}

int unlinkat(int folder, const char *path, int flags) {
  char full[PATH_MAX];
  absolute(folder, path, full);
  CHANGES(is_under(full), REAL(unlinkat)(folder, path, flags), note('U', full, 0, 0, 0));
}

int fsync(int descriptor) {
  char path[PATH_MAX];
  CHANGES(of_descriptor(descriptor, path), REAL(fsync)(descriptor), note('S', path, 0, 0, 0));
}

int fdatasync(int descriptor) {
  char path[PATH_MAX];
  CHANGES(of_descriptor(descriptor, path), REAL(fdatasync)(descriptor), note('S', path, 0, 0, 0));
}
