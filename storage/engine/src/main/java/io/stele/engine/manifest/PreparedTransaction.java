package io.stele.engine.manifest;

import static java.util.Objects.requireNonNull;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.stele.protocol.Lsn;
import java.util.Arrays;

/**
 * A transaction whose PREPARE record a shard has applied, but not yet its outcome, stored in the
 * manifest so that the log can be trimmed.
 *
 * @param transactionId the id, which is also in the name of the decision object
 * @param prepareLsn LSN of the PREPARE record
 * @param payload payload of the PREPARE record
 */
public record PreparedTransaction(
        @JsonProperty("transactionId") String transactionId,
        @JsonProperty("prepareLsn") Lsn prepareLsn,
        @JsonProperty("payload") byte[] payload) {
    public PreparedTransaction {
        requireNonNull(transactionId, "transactionId is null");
        requireNonNull(prepareLsn, "prepareLsn is null");
        requireNonNull(payload, "payload is null");
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PreparedTransaction that
                && transactionId.equals(that.transactionId)
                && prepareLsn.equals(that.prepareLsn)
                && Arrays.equals(payload, that.payload);
    }

    @Override
    public int hashCode() {
        return transactionId.hashCode();
    }
}
