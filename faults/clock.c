/* The time of day of the processes that preload this: the machine's, and the seconds that the file $CLOCK_STEP holds.
   The steady clocks, and the machine's own clock, are left alone. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static long step(void)
{
    char text[32] = "";
    int file = open(getenv("CLOCK_STEP"), O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        if (read(file, text, sizeof text - 1) < 0)
            text[0] = 0;
        close(file);
    }
    return atol(text);
}

int clock_gettime(clockid_t clock, struct timespec *now)
{
    int failed = syscall(SYS_clock_gettime, clock, now);
    if (!failed && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += step();
    return failed;
}

int gettimeofday(struct timeval *now, void *zone)
{
    int failed = syscall(SYS_gettimeofday, now, zone);
    if (!failed)
        now->tv_sec += step();
    return failed;
}

time_t time(time_t *seconds)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (seconds)
        *seconds = now.tv_sec;
    return now.tv_sec;
}
