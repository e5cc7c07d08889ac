package io.stele.cache.page.segment;

/**
 * The kinds of queues that a cached page may be in, as numbers, because entries and journals have
 * few bits for them.
 */
final class QueueKind {
    /** The entry is free. */
    static final int NONE = 0;

    /** Recently added; admitted without a check of its frequency. */
    static final int WINDOW = 1;

    /** Admitted, but not used since. */
    static final int PROBATION = 2;

    /** Used since it was admitted. */
    static final int PROTECTED = 3;

    private QueueKind() {}
}
