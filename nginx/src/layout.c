/*
 * Whether the nginx that loads this module is the very one that it was built for.
 *
 * nginx itself refuses a module of another version or signature. This module reads structures of QUIC that nginx keeps
 * to itself and may change within a version (a distribution's patch), so it also compares the program's build ID, by
 * which linkers name what they made: scripts/autoquic compiles in the one it read from the program.
 */
#define _GNU_SOURCE
#include <link.h>
#include <elf.h>

#include "autoquic.h"

#ifdef AUTOQUIC_BUILD_ID

static int read_build_id(struct dl_phdr_info *info, size_t size, void *data);

/* Room for an ID of up to 32 bytes, as hexadecimal digits. */
typedef struct {
    u_char  text[65];
} build_id_t;


ngx_int_t
autoquic_check_layout(ngx_conf_t *cf)
{
    build_id_t  found;

    ngx_memzero(&found, sizeof(build_id_t));
    (void) dl_iterate_phdr(read_build_id, &found);

    if (ngx_strcmp(found.text, AUTOQUIC_BUILD_ID) == 0) {
        return NGX_OK;
    }

    ngx_log_error(NGX_LOG_EMERG, cf->log, 0,
                  "ngx_http_autoquic_module was built for another nginx (%s, build ID %s; this one is " NGINX_VER
                  ", build ID %s): build it for this one (scripts/autoquic), or load it no more",
                  AUTOQUIC_BUILT_FOR, AUTOQUIC_BUILD_ID, found.text[0] ? (char *) found.text : "unknown");

    return NGX_ERROR;
}


/* The program comes first, before any library. */
static int
read_build_id(struct dl_phdr_info *info, size_t size, void *data)
{
    size_t               left, step;
    u_char              *p;
    build_id_t          *found = data;
    ngx_uint_t           i;
    const ElfW(Nhdr)    *note;

    for (i = 0; i < info->dlpi_phnum; i++) {
        if (info->dlpi_phdr[i].p_type != PT_NOTE) {
            continue;
        }

        p = (u_char *) info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;
        left = info->dlpi_phdr[i].p_memsz;

        while (left >= sizeof(ElfW(Nhdr))) {
            note = (const ElfW(Nhdr) *) p;
            step = sizeof(ElfW(Nhdr)) + ngx_align(note->n_namesz, 4) + ngx_align(note->n_descsz, 4);
            if (step > left) {
                break;
            }

            if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && note->n_descsz <= 32
                && ngx_memcmp(p + sizeof(ElfW(Nhdr)), "GNU", 4) == 0)
            {
                (void) ngx_hex_dump(found->text, p + sizeof(ElfW(Nhdr)) + 4, note->n_descsz);
                return 1;
            }

            p += step;
            left -= step;
        }
    }

    return 1;
}

#else

/* Built within nginx's own source tree, for the nginx that came of it. */
ngx_int_t
autoquic_check_layout(ngx_conf_t *cf)
{
    return NGX_OK;
}

#endif
