package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * The description of an action (remote procedure) of a sidecar: its protocol name, and the types of
 * its request and reply. The body of an action is the JSON of its request, and its single result
 * the JSON of its reply.
 *
 * @param <Q> the request; {@link Done}, or an empty body, if it has no parameters
 * @param <R> the reply
 * @param framing whether the framed protocol offers it, in addition to Flight
 */
public record Action<Q, R>(String name, Class<Q> request, Class<R> reply, Framing framing) {
    /**
     * The ways in which the framed protocol offers an action, whose clients may send a request
     * twice.
     */
    public enum Framing {
        /** Not offered. */
        NONE,
        /** Offered in all versions: it opens or plans a read, or is as harmless to repeat. */
        READS,
        /**
         * Offered since the version with transactions: it begins a transaction, which expires with
         * its lease, or commits one, whose repetition is recognized.
         */
        TRANSACTIONS
    }

    public Action {
        requireNonNull(name, "name is null");
        requireNonNull(request, "request is null");
        requireNonNull(reply, "reply is null");
        requireNonNull(framing, "framing is null");
    }

    /** An action of Flight only. */
    public static <Q, R> Action<Q, R> of(String name, Class<Q> request, Class<R> reply) {
        return new Action<>(name, request, reply, Framing.NONE);
    }

    /** An action that opens or plans a read, and may be repeated. */
    public static <Q, R> Action<Q, R> framed(String name, Class<Q> request, Class<R> reply) {
        return new Action<>(name, request, reply, Framing.READS);
    }

    /** An action that begins or commits a transaction, and may be repeated. */
    public static <Q, R> Action<Q, R> ofTransaction(String name, Class<Q> request, Class<R> reply) {
        return new Action<>(name, request, reply, Framing.TRANSACTIONS);
    }
}
