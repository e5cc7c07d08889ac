package io.stele.protocol.api;

import static java.util.Objects.requireNonNull;

/**
 * An action of a sidecar: its name on the wire, and the types of its request and its reply. The
 * body of an action is the JSON of its request, and its single result the JSON of its reply.
 *
 * @param <Q> the request; {@link Done}, or an empty body, where there is nothing to ask
 * @param <R> the reply
 * @param framing whether the framed protocol has it, beside Flight
 */
public record Action<Q, R>(String name, Class<Q> request, Class<R> reply, Framing framing) {
    /** The place of an action in the framed protocol, whose clients may send one twice. */
    public enum Framing {
        /** Not there. */
        NONE,
        /** There in all versions: it opens or plans a read, or comes to the same. */
        READS,
        /**
         * There since the version with transactions: it begins one, which expires with its lease,
         * or commits one, which is recognized.
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
