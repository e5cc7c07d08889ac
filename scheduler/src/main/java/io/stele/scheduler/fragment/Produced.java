package io.stele.scheduler.fragment;

/**
 * The result of one step of a {@link BatchSource}: a batch, more work to do, a wait, or the end.
 */
public sealed interface Produced<B> {
    /** A batch is ready. */
    record Batch<B>(B batch) implements Produced<B> {}

    /** No batch yet; the source must be called again. */
    record Working<B>() implements Produced<B> {}

    /** No batch until a call of {@link Edge#resume}, which may have happened already. */
    record Waiting<B>() implements Produced<B> {}

    /** There is no further batch. */
    record End<B>() implements Produced<B> {}
}
