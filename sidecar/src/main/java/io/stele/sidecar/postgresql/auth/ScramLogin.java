package io.stele.sidecar.postgresql.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.stele.sidecar.auth.ScramVerifier;
import io.stele.sidecar.postgresql.wire.Message;
import io.stele.sidecar.postgresql.wire.PostgresException;
import io.stele.sidecar.postgresql.wire.SqlState;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The server's side of one login by SCRAM-SHA-256 without channel binding (RFC 5802, section 5).
 * Confined to one thread.
 *
 * <p>A user that is not known goes through the same steps, and fails at the end.
 */
final class ScramLogin {
    private final ScramVerifier verifier;
    private final boolean isKnown;
    private final String serverNonce;
    private String clientFirstBare = "";
    private String serverFirst = "";
    private String gs2Header = "";

    ScramLogin(ScramVerifier verifier, boolean isKnown, String serverNonce) {
        this.verifier = verifier;
        this.isKnown = isKnown;
        this.serverNonce = serverNonce;
    }

    /** The reply to the client's first message. */
    byte[] first(byte[] message) {
        String text = Message.decode(ByteBuffer.wrap(message));
        String[] parts = text.split(",", 3);
        if (parts.length < 3 || !(parts[0].equals("n") || parts[0].equals("y"))) {
            throw violation("a first message without channel binding");
        }
        gs2Header = parts[0] + "," + parts[1] + ",";
        clientFirstBare = parts[2];
        String nonce = attributes(clientFirstBare).get('r');
        if (nonce == null || nonce.isEmpty()) {
            throw violation("a nonce in the first message");
        }
        serverFirst =
                "r=%s%s,s=%s,i=%s"
                        .formatted(
                                nonce,
                                serverNonce,
                                Base64.getEncoder().encodeToString(verifier.salt()),
                                verifier.iterations());
        return serverFirst.getBytes(UTF_8);
    }

    /** The reply to the client's proof; empty if it is wrong, or the user is not known. */
    Optional<byte[]> last(byte[] message) {
        String text = Message.decode(ByteBuffer.wrap(message));
        int proofAt = text.lastIndexOf(",p=");
        Map<Character, String> attributes = attributes(text);
        String binding = attributes.get('c');
        String nonce = attributes.get('r');
        if (proofAt < 0 || binding == null || nonce == null) {
            throw violation("a proof in the last message");
        }
        boolean isOfThisLogin =
                serverFirst.startsWith("r=" + nonce + ",")
                        && binding.equals(
                                Base64.getEncoder().encodeToString(gs2Header.getBytes(UTF_8)));
        String messages = clientFirstBare + "," + serverFirst + "," + text.substring(0, proofAt);
        byte[] proof;
        try {
            proof = Base64.getDecoder().decode(text.substring(proofAt + 3));
        } catch (IllegalArgumentException e) {
            throw violation("a proof in Base64");
        }
        boolean isRight = verifier.accepts(proof, messages);
        if (!isOfThisLogin || !isRight || !isKnown) {
            return Optional.empty();
        }
        String answer = "v=" + Base64.getEncoder().encodeToString(verifier.sign(messages));
        return Optional.of(answer.getBytes(UTF_8));
    }

    private static Map<Character, String> attributes(String text) {
        Map<Character, String> attributes = new HashMap<>();
        for (String part : text.split(",")) {
            if (part.length() >= 2 && part.charAt(1) == '=') {
                attributes.putIfAbsent(part.charAt(0), part.substring(2));
            }
        }
        return attributes;
    }

    private static PostgresException violation(String expected) {
        return new PostgresException(
                SqlState.PROTOCOL_VIOLATION,
                "Expected %s of SCRAM-SHA-256, found another".formatted(expected));
    }
}
