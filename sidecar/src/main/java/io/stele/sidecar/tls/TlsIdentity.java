package io.stele.sidecar.tls;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/**
 * The TLS certificate and private key of the sidecar's Flight, framed and PostgreSQL servers,
 * loaded from the key store once at start. Immutable.
 */
public final class TlsIdentity {
    private final KeyManager[] keyManagers;

    private TlsIdentity(KeyManager[] keyManagers) {
        this.keyManagers = requireNonNull(keyManagers, "keyManagers is null");
    }

    /**
     * Loads the configured key store; empty when TLS is off.
     *
     * @throws TlsFailure if the key store cannot be read or holds no usable key
     */
    public static Optional<TlsIdentity> load(TlsConfig config) {
        if (!config.isEnabled()) {
            return Optional.empty();
        }
        return Optional.of(
                load(
                        config.getKeystorePath().orElseThrow(),
                        config.getKeystorePassword().toCharArray()));
    }

    private static TlsIdentity load(File path, char[] password) {
        try {
            KeyStore keyStore = KeyStore.getInstance(path, password);
            if (!holdsKey(keyStore)) {
                throw new GeneralSecurityException("it holds no private key");
            }
            KeyManagerFactory factory =
                    KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(keyStore, password);
            return new TlsIdentity(factory.getKeyManagers());
        } catch (IOException | GeneralSecurityException e) {
            throw new TlsFailure(
                    "stele.tls.keystore.path: expected a PKCS #12 or JKS key store that stele.tls.keystore.password opens, found "
                            + path
                            + ": "
                            + e.getMessage(),
                    e);
        }
    }

    private static boolean holdsKey(KeyStore keyStore) throws GeneralSecurityException {
        var aliases = keyStore.aliases();
        while (aliases.hasMoreElements()) {
            if (keyStore.isKeyEntry(aliases.nextElement())) {
                return true;
            }
        }
        return false;
    }

    public KeyManager[] keyManagers() {
        return keyManagers.clone();
    }

    /** A context for server sockets; clients need no certificate. */
    public SSLContext sslContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers, null, new SecureRandom());
            return context;
        } catch (GeneralSecurityException e) {
            throw new TlsFailure("TLS is not available in this JVM: " + e.getMessage(), e);
        }
    }
}
