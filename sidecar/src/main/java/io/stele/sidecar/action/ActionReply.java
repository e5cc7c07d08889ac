package io.stele.sidecar.action;

import static java.util.Objects.requireNonNull;

import io.stele.sidecar.engine.ReplyBudget;

/**
 * The result of an action, and the memory that it holds of the budget of replies.
 *
 * @param bytes the result as its protocol encodes it
 * @param room to be closed when the client has the result, or will never have it
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ActionReply(byte[] bytes, ReplyBudget.Room room) {
    public ActionReply {
        requireNonNull(bytes, "bytes is null");
        requireNonNull(room, "room is null");
    }
}
