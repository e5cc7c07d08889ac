package io.stele.sidecar.tls;

/**
 * The configured key store cannot be used. The message names the property, what was expected and
 * what was found.
 */
public final class TlsFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TlsFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
