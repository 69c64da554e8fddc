/* The floor: keeps the files of a list open and reads each once a second, parsing nothing.
 *
 * `floor SECONDS < list of paths`; /proc is listed each second as well, as `weaklink watch` does.
 * Build: cc -O2 -o floor floor.c */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST 20000

static int files[MOST];
static char buffer[1 << 18];

int main(int count, char **words)
{
	char path[4096];
	int kept = 0;
	long total = 0, seconds = count > 1 ? atol(words[1]) : 60;
	struct timespec due;

	while (kept < MOST && fgets(path, sizeof path, stdin)) {
		path[strcspn(path, "\n")] = 0;
		int file = open(path, O_RDONLY | O_CLOEXEC);
		if (file >= 0)
			files[kept++] = file;
	}
	clock_gettime(CLOCK_MONOTONIC, &due);
	for (long tick = 0; tick < seconds; tick++) {
		DIR *proc = opendir("/proc");
		if (proc) {
			while (readdir(proc))
				total++;
			closedir(proc);
		}
		for (int n = 0; n < kept; n++) {
			ssize_t got = pread(files[n], buffer, sizeof buffer, 0);
			if (got > 0)
				total += got;
		}
		due.tv_sec++;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
	}
	struct timespec used;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
	printf("%d files, %ld bytes, %.4f s\n", kept, total, used.tv_sec + used.tv_nsec / 1e9);
	return 0;
}
