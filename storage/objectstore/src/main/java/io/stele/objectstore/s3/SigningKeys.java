package io.stele.objectstore.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;

import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * A computation of SigV4 signatures that caches the last signing key, which is valid for one day,
 * region and secret. Thread-safe.
 */
final class SigningKeys {
    private static final String ALGORITHM = "HmacSHA256";

    private final String region;
    private volatile @Nullable Key last;

    SigningKeys(String region) {
        this.region = requireNonNull(region, "region is null");
    }

    private record Key(String day, String secret, byte[] bytes) {}

    /** The scope of a key, as signatures name it. */
    String scope(String day) {
        return day + "/" + region + "/s3/aws4_request";
    }

    /**
     * The signature of a text.
     *
     * @param day of the signature, as {@code 20261123}
     */
    byte[] sign(String text, String day, String secret) {
        Key key = last;
        if (key == null || !key.day.equals(day) || !key.secret.equals(secret)) {
            byte[] bytes = ("AWS4" + secret).getBytes(UTF_8);
            for (String part : scope(day).split("/")) {
                bytes = hmac(bytes, part);
            }
            key = new Key(day, secret, bytes);
            last = key;
        }
        return hmac(key.bytes, text);
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("Every Java has " + ALGORITHM, e);
        }
    }
}
