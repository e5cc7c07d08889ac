package io.stele.sidecar.http;

import static java.util.Objects.requireNonNull;

import com.google.inject.Inject;
import io.stele.protocol.SteleException;
import io.stele.sidecar.auth.Authenticator;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.FilterConfig;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Optional;

/**
 * A servlet filter that admits HTTP requests only with the shared secret, except for {@code
 * /v1/info}. Without the secret, paths that do not exist are not revealed either. A connection
 * without the secret serves one request only.
 */
public final class AuthenticationFilter implements Filter {
    private static final String OPEN_PATH = "/v1/info";

    private final Authenticator authenticator;
    private final HttpLogins logins;

    @Inject
    public AuthenticationFilter(Authenticator authenticator, HttpLogins logins) {
        this.authenticator = requireNonNull(authenticator, "authenticator is null");
        this.logins = requireNonNull(logins, "logins is null");
    }

    @Override
    public void init(FilterConfig config) {
        logins.watch(config.getServletContext());
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest httpRequest = (HttpServletRequest) request;
        HttpServletResponse httpResponse = (HttpServletResponse) response;
        if (OPEN_PATH.equals(httpRequest.getRequestURI())) {
            endConnection(httpRequest, httpResponse);
        } else {
            try {
                authenticator.authenticate(
                        Optional.ofNullable(httpRequest.getHeader("Authorization")));
            } catch (SteleException e) {
                endConnection(httpRequest, httpResponse);
                refuse(httpResponse, e);
                return;
            }
            logins.loggedIn(request);
        }
        chain.doFilter(request, response);
    }

    // Without it, a probe that reuses its connection could send the next request just when the
    // deadline of logins ends it. HTTP/2 has no such header: its clients repeat requests by
    // themselves.
    private static void endConnection(HttpServletRequest request, HttpServletResponse response) {
        if (request.getProtocol().startsWith("HTTP/1.")) {
            response.setHeader("Connection", "close");
        }
    }

    private static void refuse(HttpServletResponse response, SteleException reason)
            throws IOException {
        response.setStatus(HttpServletResponse.SC_UNAUTHORIZED);
        response.addHeader("WWW-Authenticate", "Bearer");
        response.addHeader("WWW-Authenticate", "Basic realm=\"stele\"");
        response.setContentType("text/plain;charset=utf-8");
        response.getWriter().println(reason.getMessage());
    }
}
