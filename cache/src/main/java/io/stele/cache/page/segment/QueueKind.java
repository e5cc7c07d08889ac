package io.stele.cache.page.segment;

/** The queue that a page is in, as a number, because entries and journals have two bits for it. */
final class QueueKind {
    /** The entry is free. */
    static final int NONE = 0;

    /** Recently added; admitted without a check of its frequency. */
    static final int WINDOW = 1;

    /** Admitted, not used since. */
    static final int PROBATION = 2;

    /** Used since it was admitted. */
    static final int PROTECTED = 3;

    private QueueKind() {}
}
