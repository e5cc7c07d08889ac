package io.stele.client.auth;

import static java.util.Objects.requireNonNull;

import io.stele.protocol.ErrorCode;
import io.stele.protocol.SteleException;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * The TLS trust settings of a client for all its connections, which always verify the host name.
 *
 * @param trustedCertificates PEM file with the certificates of the sidecars or of their issuers;
 *     empty: the certificates that the JDK trusts
 */
public record ClientTls(Optional<Path> trustedCertificates) {
    public ClientTls {
        requireNonNull(trustedCertificates, "trustedCertificates is null");
    }

    /** A context for sockets. */
    public SSLContext sslContext() {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trustManagers().getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw failed(e);
        }
    }

    /** The trusted certificates; throws INVALID_ARGUMENT if the file has none or cannot be read. */
    public TrustManagerFactory trustManagers() {
        try {
            TrustManagerFactory factory =
                    TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            factory.init(trustedCertificates.isPresent() ? load(trustedCertificates.get()) : null);
            return factory;
        } catch (GeneralSecurityException | IOException e) {
            throw failed(e);
        }
    }

    private static KeyStore load(Path path) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        try (InputStream input = new BufferedInputStream(Files.newInputStream(path))) {
            int count = 0;
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(input)) {
                store.setCertificateEntry("trusted-" + count++, certificate);
            }
            if (count == 0) {
                throw new SteleException(
                        ErrorCode.INVALID_ARGUMENT,
                        "Expected certificates in PEM form, found none in " + path);
            }
        }
        return store;
    }

    private SteleException failed(Exception cause) {
        return new SteleException(
                ErrorCode.INVALID_ARGUMENT,
                "Cannot use the trusted certificates "
                        + trustedCertificates.map(Path::toString).orElse("of the JDK")
                        + ": "
                        + cause.getMessage(),
                cause);
    }
}
