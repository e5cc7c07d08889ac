package io.stele.scheduler;

/**
 * The load of a pool of blocking tasks at one moment.
 *
 * @param running tasks that have a thread now
 * @param waiting tasks that wait for one
 * @param finished tasks that have ended since the pool was made
 */
public record PoolLoad(int running, int waiting, long finished) {}
