package io.stele.sidecar.tls;

/**
 * The failure at start that the configured key store or TLS cannot be used. The message names the
 * property, what was expected and what was found.
 */
public final class TlsFailure extends RuntimeException {
    private static final long serialVersionUID = 1;

    public TlsFailure(String message, Throwable cause) {
        super(message, cause);
    }
}
