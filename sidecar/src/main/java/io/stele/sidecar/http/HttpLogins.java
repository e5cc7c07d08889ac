package io.stele.sidecar.http;

import com.google.inject.Inject;
import io.stele.sidecar.auth.PendingLogins;
import io.stele.sidecar.auth.PendingLogins.Login;
import io.stele.sidecar.auth.SecurityConfig;
import io.stele.sidecar.metrics.AccessMetrics;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRequest;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextRequest;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Connector;

/**
 * The connections of the HTTP port that have sent no request with the secret yet, which it ends at
 * the deadline of logins. The deadline counts from their opening, because Jetty's own time-out
 * starts again with each byte. Thread safe.
 */
public final class HttpLogins implements Connection.Listener {
    private final PendingLogins logins;
    private final ConcurrentMap<EndPoint, Login> pending = new ConcurrentHashMap<>();

    @Inject
    public HttpLogins(SecurityConfig security, AccessMetrics metrics) {
        this.logins =
                new PendingLogins(
                        PendingLogins.MAX_PENDING,
                        security.getLoginTimeout().toJavaTime(),
                        metrics);
    }

    /** Watches the connections of the server of a context, which has not opened its ports yet. */
    void watch(ServletContext context) {
        for (Connector connector :
                ServletContextHandler.getServletContextHandler(context)
                        .getServer()
                        .getConnectors()) {
            connector.addEventListener(this);
        }
    }

    /** Records that a request had the secret, so that its connection stays. */
    void loggedIn(ServletRequest request) {
        forget(
                socket(
                        ServletContextRequest.getServletContextRequest(request)
                                .getConnectionMetaData()
                                .getConnection()));
    }

    // Of one socket several are opened, one after the other or one within the other: TLS, the
    // choice of a protocol, HTTP. The first one counts.
    @Override
    public void onOpened(Connection connection) {
        EndPoint socket = socket(connection);
        pending.computeIfAbsent(
                socket,
                opened ->
                        logins.begin(
                                reason -> {
                                    pending.remove(opened);
                                    opened.close();
                                }));
        forgetIfClosed(socket);
    }

    @Override
    public void onClosed(Connection connection) {
        forgetIfClosed(socket(connection));
    }

    // It may have been closed before it was pending
    private void forgetIfClosed(EndPoint socket) {
        if (!socket.isOpen()) {
            forget(socket);
        }
    }

    private void forget(EndPoint socket) {
        Login login = pending.remove(socket);
        if (login != null) {
            login.close();
        }
    }

    private static EndPoint socket(Connection connection) {
        EndPoint endPoint = connection.getEndPoint();
        while (endPoint instanceof EndPoint.Wrapper wrapper) {
            endPoint = wrapper.unwrap();
        }
        return endPoint;
    }
}
