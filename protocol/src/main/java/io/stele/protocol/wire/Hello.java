package io.stele.protocol.wire;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.QueryIdentity;
import java.util.Optional;

/**
 * The payload of a HELLO, the first frame of a client, which authenticates the connection: {@code
 * magic 4 | version 4 | token text | client text}, where a text is a varint length and UTF-8 bytes;
 * then, from a client that reads the time to wait in an ERROR, {@code user text | source text |
 * resource group text}. Further bytes are reserved for later versions and ignored.
 *
 * @param token a {@code SharedSecretToken}
 * @param client the name of the caller, for the sidecar's status and logs
 * @param identity the identity by which the sidecar chooses a scheduling group for all requests of
 *     the connection; its query id is not sent
 */
public record Hello(int version, String token, String client, Optional<QueryIdentity> identity) {
    public Hello {
        requireNonNull(token, "token is null");
        requireNonNull(client, "client is null");
        requireNonNull(identity, "identity is null");
    }

    public byte[] encode() {
        PayloadWriter writer =
                new PayloadWriter(256)
                        .putInt(WireLimits.MAGIC)
                        .putInt(version)
                        .putText("token", token)
                        .putText("client", client);
        identity.ifPresent(
                present ->
                        writer.putText("user", present.user())
                                .putText("source", present.source())
                                .putText("resource group", present.resourceGroup()));
        return writer.toByteArray();
    }

    /**
     * Decodes a HELLO.
     *
     * @throws io.stele.protocol.SteleException INVALID_ARGUMENT if the client uses another
     *     protocol, or the frame is malformed
     */
    public static Hello decode(Frame frame) {
        PayloadReader reader = new PayloadReader(FrameType.HELLO, frame);
        int magic = reader.getInt("magic");
        if (magic != WireLimits.MAGIC) {
            throw reader.malformed(
                    "magic " + Integer.toHexString(WireLimits.MAGIC) + " (shown as a number)",
                    magic & 0xFFFFFFFFL);
        }
        int version = reader.getInt("version");
        String token = reader.getText("token");
        String client = reader.getText("client");
        if (!reader.hasMore()) {
            return new Hello(version, token, client, Optional.empty());
        }
        QueryIdentity identity =
                new QueryIdentity(
                        reader.getText("user"),
                        reader.getText("source"),
                        reader.getText("resource group"));
        return new Hello(version, token, client, Optional.of(identity));
    }

    @Override
    public String toString() {
        return "Hello[version=" + version + ", client=" + client + "]"; // never the token
    }
}
