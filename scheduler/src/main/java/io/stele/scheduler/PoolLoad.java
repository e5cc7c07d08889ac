package io.stele.scheduler;

/**
 * The load of a pool of blocking tasks at one moment.
 *
 * @param running tasks that have a thread now
 * @param waiting tasks that wait for a thread
 * @param finished tasks that have ended since the creation of the pool
 */
public record PoolLoad(int running, int waiting, long finished) {}
