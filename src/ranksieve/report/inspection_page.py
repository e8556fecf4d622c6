def inspection_page(x):
    return ""
